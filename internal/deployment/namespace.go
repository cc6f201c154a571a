package deployment

import (
	"context"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/sets"
)

// isOwnNamespace reports whether opgen made the namespace for the operator of a project.
func isOwnNamespace(o *Object, project string) bool {
	labels := o.GetLabels()
	return labels["app.kubernetes.io/managed-by"] == "opgen" && labels["app.kubernetes.io/name"] == project
}

// removeNamespace removes the operator's namespace unless something is in it that neither the
// manifests nor Kubernetes itself put there.
func (r removing) removeNamespace(ctx context.Context, namespace *Object) (Change, error) {
	left, err := r.leftIn(ctx, namespace.GetName())
	if err != nil {
		return Change{}, err
	}
	if len(left) > 0 {
		return changeOf(namespace, Kept, "it has "+enumerate(left)), nil
	}
	change := changeOf(namespace, Deleted, "")
	if r.DryRun {
		return change, nil
	}
	if err := r.delete(ctx, namespace, metav1.DeletePropagationBackground); err != nil {
		return Change{}, err
	}
	return change, r.awaitGone(ctx, namespace, r.Timeout)
}

// derivedKinds returns the kinds of which nothing is lost: they say what happens, or what other
// objects are.
func derivedKinds() sets.Set[string] {
	return sets.New("Event", "Event.events.k8s.io", "Lease.coordination.k8s.io", "Endpoints", "EndpointSlice.discovery.k8s.io",
		"PodMetrics.metrics.k8s.io")
}

// leftIn returns the titles of the objects in a namespace that would be lost with it.
func (r removing) leftIn(ctx context.Context, namespace string) ([]string, error) {
	var left []string
	seen, derived := map[schema.GroupKind]bool{}, derivedKinds()
	for _, each := range r.resources {
		if !each.namespaced || seen[each.kind] || derived.Has(each.kind.String()) || !slices.Contains(each.verbs, "list") || !slices.Contains(each.verbs, "delete") {
			continue
		}
		seen[each.kind] = true
		list, err := r.objects.Resource(each.GroupVersionResource).Namespace(namespace).List(ctx, metav1.ListOptions{Limit: pageSize})
		if apierrors.IsForbidden(err) {
			return []string{fmt.Sprintf("%s that you may not list", each.Resource)}, nil
		}
		if apierrors.IsNotFound(err) {
			continue // the kind has gone since the cluster was asked what it serves
		}
		if err != nil {
			return nil, fmt.Errorf("list %s: %w", each.Resource, err)
		}
		for _, object := range list.Items {
			if !r.goesAnyway(&object) {
				left = append(left, titleOf(withoutNamespace(&object)))
			}
		}
	}
	return left, nil
}

// goesAnyway reports whether nothing is lost with an object: the manifests have it, or something else
// makes and collects it.
func (r removing) goesAnyway(o *Object) bool {
	switch o.GetKind() + "/" + o.GetName() {
	case "ConfigMap/kube-root-ca.crt", "ServiceAccount/default":
		return true
	}
	if _, issued := o.GetAnnotations()["cert-manager.io/certificate-name"]; issued || metav1.GetControllerOf(o) != nil {
		return true
	}
	return r.reasonToKeep(o) == "" && slices.ContainsFunc(r.planned, func(planned *Object) bool {
		return planned.GroupVersionKind().GroupKind() == o.GroupVersionKind().GroupKind() &&
			planned.GetNamespace() == o.GetNamespace() && planned.GetName() == o.GetName()
	})
}

func withoutNamespace(o *Object) *Object {
	o = o.DeepCopy()
	o.SetNamespace("")
	return o
}

// enumerate lists a few of many.
func enumerate(titles []string) string {
	const few = 3
	if more := len(titles) - few; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(titles[:few], ", "), more)
	}
	return strings.Join(titles, ", ")
}
