package reconcile

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/opgen-dev/opgen/runtime/internal/declared"
	"github.com/opgen-dev/opgen/runtime/internal/related"
)

// Members are related objects that a child controls. What a Deployment controls are ReplicaSets, which
// control the Pods: so an entry of its Pods reads them from another entry of related objects, that of
// the ReplicaSets, which the author's code does not see.

// addMembers links an entry of members with its kind of children. It returns the entry of what stands between
// both; nil if nothing does.
func addMembers(mgr manager.Manager, l *loop, entry *relatedKind) (between *relatedKind, err error) {
	kind, err := apiutil.GVKForObject(entry.OfChild.Object, mgr.GetScheme())
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(l.childKinds, func(child *childKind) bool { return child.GroupVersionKind == kind && child.As == entry.OfChild.As })
	if i < 0 {
		return nil, fmt.Errorf("related objects of kind %s are of children of kind %s, which the operator does not have", entry.Kind, kind.Kind)
	}
	if entry.ofChild = l.childKinds[i]; entry.OfChild.Through == nil {
		return nil, nil
	}
	between, err = newEntry(mgr, l, declared.RelatedKind{
		Object: entry.OfChild.Through, Selector: entry.Selector, Metadata: true,
		OfChild: &declared.OfChild{Object: entry.OfChild.Object, As: entry.OfChild.As},
	}, true)
	if err != nil {
		return nil, err
	}
	between.ofChild, entry.from = entry.ofChild, between
	return between, nil
}

// queryByController returns a query for the objects of an entry that a source controls.
func (s *subject) queryByController(kind *relatedKind, source client.Object) (query related.Query, err error) {
	query.Fields = []related.Field{{Path: related.ControllerPath, Value: string(source.GetUID())}}
	query.Namespaces = s.queryNamespaces(kind, memberNamespaces(source), source)
	query.Selector, err = labels.Parse(kind.Selector)
	return query, err
}

// memberNamespaces returns where objects are that a source controls: in its namespace, or in any if it is
// cluster-scoped.
func memberNamespaces(source client.Object) []string {
	if namespace := source.GetNamespace(); namespace != "" {
		return []string{namespace}
	}
	return []string{declared.AllNamespaces}
}
