package deployment

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
)

// content is what a namespace has, but for what says only what happens.
type content struct {
	namespace string
	items     []item
	unknown   []string // what the API server does not list, in words
}

// item is an object of a namespace.
type item struct {
	kind        schema.GroupKind
	name        string
	uid         types.UID
	owners      []metav1.OwnerReference
	certificate string // of cert-manager, which has issued the Secret
	secret      string // which a Certificate of cert-manager has issued
}

// readContent lists the objects of a namespace. storage says in which version objects of a kind are
// listed, so that no conversion webhook is asked; other kinds are listed in the preferred one.
func (c *Cluster) readContent(ctx context.Context, namespace string, storage map[schema.GroupKind]string) (*content, error) {
	found := &content{namespace: namespace}
	seen, derived := map[schema.GroupKind]bool{}, derivedKinds()
	for _, each := range c.resources {
		if !each.namespaced || seen[each.kind] || derived.Has(each.kind.String()) || !slices.Contains(each.verbs, "list") || !slices.Contains(each.verbs, "delete") {
			continue
		}
		seen[each.kind] = true
		if stored, served := c.resources.find(each.kind, storage[each.kind]); served {
			each = stored
		}
		err := c.list(ctx, each, namespace, func(o *Object) { found.items = append(found.items, itemOf(each.kind, o)) })
		switch status := apierrors.APIStatus(nil); {
		case err == nil || apierrors.IsNotFound(err): // the kind has gone since the API server was asked what it serves
		case apierrors.IsForbidden(err):
			found.unknown = append(found.unknown, each.Resource+" that you may not list")
		case errors.As(err, &status):
			found.unknown = append(found.unknown, fmt.Sprintf("%s that the API server does not list (%v)", each.Resource, err))
		default:
			return nil, fmt.Errorf("list %s: %w", each.Resource, err)
		}
	}
	for _, group := range c.silent {
		found.unknown = append(found.unknown, fmt.Sprintf("the objects of %s, whose API server does not answer", group))
	}
	return found, nil
}

func itemOf(kind schema.GroupKind, o *Object) item {
	secret, _, _ := unstructured.NestedString(o.Object, "spec", "secretName")
	return item{
		kind: kind, name: o.GetName(), uid: o.GetUID(), owners: o.GetOwnerReferences(),
		certificate: o.GetAnnotations()["cert-manager.io/certificate-name"], secret: secret,
	}
}

// derivedKinds returns the kinds of which nothing is lost: they say what happens, or what other
// objects are.
func derivedKinds() sets.Set[string] {
	return sets.New("Event", "Event.events.k8s.io", "Lease.coordination.k8s.io", "Endpoints", "EndpointSlice.discovery.k8s.io",
		"PodMetrics.metrics.k8s.io")
}

// going returns the objects that go when others go: those, and every object of which all owners
// go. One of a kind that holds users' data does not count.
func (c *content) going(kinds sets.Set[schema.GroupKind], first sets.Set[types.UID]) sets.Set[types.UID] {
	going := first.Clone()
	for grows := true; grows; {
		before := going.Len()
		for _, each := range c.items {
			if !holdsUsersData(each.kind, kinds) && (ownersGo(each, going) || c.isIssued(each, going)) {
				going.Insert(each.uid)
			}
		}
		grows = going.Len() > before
	}
	return going
}

// ownersGo reports whether an object has owners and all of them go, so that the garbage collector
// deletes it.
func ownersGo(each item, going sets.Set[types.UID]) bool {
	stays := func(owner metav1.OwnerReference) bool { return !going.Has(owner.UID) }
	return len(each.owners) > 0 && !slices.ContainsFunc(each.owners, stays)
}

// isIssued reports whether an object is the Secret of a Certificate that goes. cert-manager gives it
// no owner.
func (c *content) isIssued(each item, going sets.Set[types.UID]) bool {
	if each.kind != (schema.GroupKind{Kind: "Secret"}) || each.certificate == "" || len(each.owners) > 0 {
		return false
	}
	return slices.ContainsFunc(c.items, func(other item) bool {
		return other.kind == schema.GroupKind{Group: "cert-manager.io", Kind: "Certificate"} &&
			other.name == each.certificate && other.secret == each.name && going.Has(other.uid)
	})
}

// left returns, in words, what would be lost with the namespace beside what goes.
func (c *content) left(going sets.Set[types.UID]) []string {
	var left []string
	for _, each := range c.items {
		if !going.Has(each.uid) && !isKubernetesOwn(each) {
			left = append(left, title(each.kind.Kind, "", each.name))
		}
	}
	return append(left, c.unknown...)
}

// isKubernetesOwn reports whether Kubernetes puts the object into every namespace.
func isKubernetesOwn(each item) bool {
	return each.kind == schema.GroupKind{Kind: "ConfigMap"} && each.name == "kube-root-ca.crt" ||
		each.kind == schema.GroupKind{Kind: "ServiceAccount"} && each.name == "default"
}

// dependents returns the objects with one of the identities, sorted.
func (c *content) dependents(uids sets.Set[types.UID]) []Dependent {
	var all []Dependent
	pods := sets.New("Pod", "ReplicaSet.apps", "ControllerRevision.apps", "Job.batch")
	for _, each := range c.items {
		if uids.Has(each.uid) {
			all = append(all, Dependent{each.kind.Kind, c.namespace, each.name, !pods.Has(each.kind.String())})
		}
	}
	slices.SortFunc(all, func(a, b Dependent) int { return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name)) })
	return all
}

// checkCollected returns an error for the objects with users' data that the garbage collector would
// delete with their owners.
func (c *content) checkCollected(kinds sets.Set[schema.GroupKind], going sets.Set[types.UID]) error {
	var errs []error
	for _, each := range c.items {
		if !holdsUsersData(each.kind, kinds) || !ownersGo(each, going) {
			continue
		}
		errs = append(errs, fmt.Errorf("%s: it would be deleted with its owner, %s\n    remove its ownerReferences to keep it, or delete it first",
			title(each.kind.Kind, c.namespace, each.name), title(each.owners[0].Kind, "", each.owners[0].Name)))
	}
	return errors.Join(errs...)
}

// enumerate lists a few of many.
func enumerate(titles []string) string {
	const few = 3
	if more := len(titles) - few; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(titles[:few], ", "), more)
	}
	return strings.Join(titles, ", ")
}
