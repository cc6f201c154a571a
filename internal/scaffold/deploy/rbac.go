package deploy

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/opgen-dev/opgen/internal/kinds"
	"github.com/opgen-dev/opgen/internal/spec"
)

// place is where a role lies, and what it is called: in no namespace it is a ClusterRole.
type place struct{ namespace, name string }

// RBACObjects are the operator's ServiceAccount and what it may do: in its own namespace by a Role,
// and by a ClusterRole elsewhere. What it does to parents and children is in the Role if it watches
// that namespace alone. Children in namespaces that the spec file lists are in a Role in each,
// unless their parents can be in any namespace. Rules of the author's code that name a namespace are in a Role there; those
// that name a role are in one of that name, which nothing binds: it is the author's to say who gets
// it.
func (o Operator) RBACObjects() []runtime.Object {
	objects := []runtime.Object{&corev1.ServiceAccount{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ServiceAccount"},
		ObjectMeta: o.metaIn(o.Namespace(), o.ManagerName()),
	}}
	everywhere, own := place{"", o.ManagerName()}, place{o.Namespace(), o.ManagerName()}
	rules := map[place][]rbacv1.PolicyRule{everywhere: metricsRules(), own: leaderRules()}
	watched := everywhere
	if o.Watch == spec.WatchNamespace {
		watched = own
	}
	for _, rule := range o.kindRules() {
		at := watched
		if len(rule.NonResourceURLs) > 0 {
			at = everywhere
		}
		rules[at] = append(rules[at], rule)
	}
	for _, k := range o.Kinds {
		for _, c := range k.Children {
			for _, at := range o.childPlaces(k, c, watched) {
				rules[at] = append(rules[at], resourceRule(c.Group, c.Plural, childVerbs(c)...))
			}
		}
	}
	for _, rule := range o.Rules {
		if rule.Namespace != "" || rule.RoleName != "" {
			at := place{rule.Namespace, cmp.Or(rule.RoleName, o.ManagerName())}
			rules[at] = append(rules[at], policyRule(rule))
		}
	}
	for _, at := range slices.SortedFunc(maps.Keys(rules), o.inOrder) {
		objects = append(objects, o.roleObjects(at, mergeRules(rules[at]))...)
	}
	return objects
}

// childPlaces returns where the operator has permissions for the children of a kind. watched is
// where it has them for what lies in the namespaces of parents.
func (o Operator) childPlaces(k Kind, c kinds.Child, watched place) []place {
	if !c.Spec.ListsNamespaces() {
		return []place{watched}
	}
	var places []place
	if k.Namespaced {
		places = append(places, watched) // of their parents
	}
	if k.Namespaced && watched.namespace == "" {
		return places // which is everywhere
	}
	for _, namespace := range c.Spec.Namespaces {
		places = append(places, place{namespace, o.ManagerName()})
	}
	return places
}

// inOrder puts the ClusterRoles first, and the operator's own roles before the others of their
// kind.
func (o Operator) inOrder(a, b place) int {
	rank := func(p place) int {
		switch {
		case p.namespace == "" && p.name == o.ManagerName():
			return 0
		case p.namespace == "":
			return 1
		case p.namespace == o.Namespace() && p.name == o.ManagerName():
			return 2
		}
		return 3
	}
	return cmp.Or(cmp.Compare(rank(a), rank(b)), strings.Compare(a.namespace, b.namespace), strings.Compare(a.name, b.name))
}

// roleObjects returns a role, and what binds it to the operator's ServiceAccount if it is the
// operator's.
func (o Operator) roleObjects(at place, rules []rbacv1.PolicyRule) (objects []runtime.Object) {
	version, bound := rbacv1.SchemeGroupVersion.String(), at.name == o.ManagerName()
	ref := rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: at.name}
	if at.namespace == "" {
		ref.Kind = "ClusterRole"
		objects = append(objects, &rbacv1.ClusterRole{
			TypeMeta: metav1.TypeMeta{APIVersion: version, Kind: "ClusterRole"}, ObjectMeta: o.objectMeta(at.name), Rules: rules,
		})
		if bound {
			objects = append(objects, &rbacv1.ClusterRoleBinding{
				TypeMeta: metav1.TypeMeta{APIVersion: version, Kind: "ClusterRoleBinding"}, ObjectMeta: o.objectMeta(at.name), RoleRef: ref, Subjects: o.subjects(),
			})
		}
		return objects
	}
	objects = append(objects, &rbacv1.Role{
		TypeMeta: metav1.TypeMeta{APIVersion: version, Kind: "Role"}, ObjectMeta: o.metaIn(at.namespace, at.name), Rules: rules,
	})
	if bound {
		objects = append(objects, &rbacv1.RoleBinding{
			TypeMeta: metav1.TypeMeta{APIVersion: version, Kind: "RoleBinding"}, ObjectMeta: o.metaIn(at.namespace, at.name), RoleRef: ref, Subjects: o.subjects(),
		})
	}
	return objects
}

func (o Operator) subjects() []rbacv1.Subject {
	return []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Name: o.ManagerName(), Namespace: o.Namespace()}}
}
