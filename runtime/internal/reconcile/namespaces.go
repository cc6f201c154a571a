package reconcile

import (
	"errors"
	"fmt"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/opgen-dev/opgen/runtime/internal/apply"
	"github.com/opgen-dev/opgen/runtime/internal/declared"
	"github.com/opgen-dev/opgen/runtime/internal/process"
)

// checkNamespace returns an error if the child of a parent must not lie in its namespace. A child
// of a namespaced parent lies in the namespace of the parent, so that whoever may write a parent
// reaches no other one with the operator's permissions. The spec file allows others. A list holds
// whatever namespace the operator is limited to, since the caches follow it.
func (l *loop) checkNamespace(parentNamespace string, kind *childKind, key apply.Key) error {
	namespace := key.Name.Namespace
	switch {
	case !kind.namespaced && namespace != "":
		return fmt.Errorf("%s has a namespace, but its kind is cluster-scoped", key)
	case !kind.namespaced:
		return nil
	case namespace == "":
		return fmt.Errorf("%s has no namespace, which a child of a cluster-scoped parent needs", key)
	case slices.Contains(kind.Namespaces, namespace):
		return nil
	case !l.parentKind.namespaced && kind.ListsNamespaces():
		return fmt.Errorf("%s lies in none of the namespaces that the spec file lists for its kind: add %s to namespaces of %s in operator.children", key, namespace, kind.Kind)
	case !l.environment.WorksIn(namespace):
		return fmt.Errorf("%s is outside of %s", key, l.environment.DescribeNamespaces())
	case l.parentKind.namespaced && namespace != parentNamespace && !slices.Contains(kind.Namespaces, declared.AllNamespaces):
		return fmt.Errorf("%s lies outside of its parent's namespace: to allow that, add namespaces: [%s] or namespaces: Any to %s in operator.children of the spec file", key, namespace, kind.Kind)
	}
	return nil
}

// limitChildren returns, for a cache of children, the kinds whose namespaces are listed in the
// spec file, with the namespaces that their children can lie in. It returns an error for a
// cluster-scoped kind that has namespaces.
func limitChildren(mgr manager.Manager, only []string, definition Definition) (map[client.Object]cache.ByObject, error) {
	hasNamespacedParents := false
	for _, parent := range definition.Parents {
		kind, err := newKind(mgr, parent.Object)
		if err != nil {
			return nil, err
		}
		hasNamespacedParents = hasNamespacedParents || kind.namespaced
	}
	limits := map[client.Object]cache.ByObject{}
	for _, child := range definition.Children {
		if len(child.Namespaces) == 0 {
			continue
		}
		kind, err := newKind(mgr, child.Object)
		if err != nil && !errors.As(err, new(process.ErrNotServed)) {
			continue // addKind reports it
		}
		if err == nil && !kind.namespaced {
			return nil, fmt.Errorf("children of kind %s lie in no namespace: leave namespaces out in operator.children of the spec file", kind.Kind)
		}
		if !child.ListsNamespaces() || len(only) == 0 && hasNamespacedParents {
			continue
		}
		namespaces := map[string]cache.Config{}
		for _, namespace := range child.Namespaces {
			namespaces[namespace] = cache.Config{}
		}
		if hasNamespacedParents {
			for _, namespace := range only {
				namespaces[namespace] = cache.Config{}
			}
		}
		limits[child.Object] = cache.ByObject{Namespaces: namespaces}
	}
	return limits, nil
}

// childView returns the namespace in which a snapshot of children looks up a name without a
// namespace: the parent's; [AllNamespaces] where the name needs one; none for cluster-scoped
// children.
func (l *loop) childView(parentNamespace string, kind kind) string {
	switch {
	case !kind.namespaced:
		return ""
	case l.parentKind.namespaced:
		return parentNamespace
	}
	return declared.AllNamespaces
}

// relatedView is childView for an entry of related objects: the one namespace that the entry
// selects from. An entry that may select from several says so in the spec file, so that a name
// means the same for every parent.
func (l *loop) relatedView(parentNamespace string, kind *relatedKind) string {
	switch {
	case !kind.namespaced:
		return ""
	case kind.ofChild != nil:
		return l.childView(parentNamespace, kind.ofChild.kind)
	case kind.Dynamic || kind.NamespacesFrom != "" || len(kind.Namespaces) > 1:
		return declared.AllNamespaces
	case len(kind.Namespaces) == 1:
		return kind.Namespaces[0]
	case kind.from != nil && kind.from.namespaced:
		return l.relatedView(parentNamespace, kind.from)
	case l.parentKind.namespaced:
		return parentNamespace
	}
	return declared.AllNamespaces
}
