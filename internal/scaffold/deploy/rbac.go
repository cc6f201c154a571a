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
)

// watchedAnnotation marks the roles in the namespaces of a list that the operator watches. A test that runs with the
// roles of a project has its own namespace in place of each.
const watchedAnnotation = "opgen.dev/watched"

// roleKey is the namespace and name of a role. Without a namespace it is a ClusterRole.
type roleKey struct{ namespace, name string }

// RBACObjects returns the operator's ServiceAccount and its roles:
//
//   - a Role in its namespace: its Leases, and if it watches that also parents and children;
//   - a Role in each other namespace that it watches: parents and children;
//   - a ClusterRole: metrics, and otherwise parents and children;
//   - a Role in each namespace that the spec file lists for children, unless parents can be in any
//     namespace: the ClusterRole has the permissions then;
//   - a Role in each namespace that a rule of the author's code names;
//   - a role with the name that such a rule gives, which nothing binds: the author decides who gets it.
//
// The token of the ServiceAccount is mounted only into Pods that ask for it.
func (o Operator) RBACObjects() []runtime.Object {
	objects := []runtime.Object{&corev1.ServiceAccount{
		TypeMeta:                     metav1.TypeMeta{APIVersion: "v1", Kind: "ServiceAccount"},
		ObjectMeta:                   o.metaIn(o.Namespace(), o.ManagerName()),
		AutomountServiceAccountToken: new(false),
	}}
	everywhere, own := roleKey{"", o.ManagerName()}, roleKey{o.Namespace(), o.ManagerName()}
	rules := map[roleKey][]rbacv1.PolicyRule{everywhere: metricsRules(), own: o.ownRules()}
	watched := []roleKey{everywhere}
	if namespaces := o.Watched(); namespaces != nil {
		watched = nil
		for _, namespace := range namespaces {
			watched = append(watched, roleKey{namespace, o.ManagerName()})
		}
	}
	for _, rule := range o.kindRules() {
		places := watched
		if len(rule.NonResourceURLs) > 0 {
			places = []roleKey{everywhere}
		}
		for _, at := range places {
			rules[at] = append(rules[at], rule)
		}
	}
	for _, k := range o.Kinds {
		for _, c := range k.Children {
			for _, at := range o.childRoles(k, c, watched) {
				rules[at] = append(rules[at], resourceRule(c.Group, c.Plural, k.childVerbs(c)...))
				if c.Spec.Evict {
					rules[at] = append(rules[at], resourceRule(c.Group, c.Plural+"/eviction", "create"))
				}
			}
		}
	}
	for _, rule := range o.Rules {
		if rule.Namespace != "" || rule.RoleName != "" {
			at := roleKey{rule.Namespace, cmp.Or(rule.RoleName, o.ManagerName())}
			rules[at] = append(rules[at], policyRule(rule))
		}
	}
	for _, at := range slices.SortedFunc(maps.Keys(rules), o.compareRoles) {
		objects = append(objects, o.roleObjects(at, mergeRules(rules[at]))...)
	}
	return objects
}

// childRoles returns the roles with permissions for the children of a kind. watched are the roles
// with permissions for the namespaces of parents.
func (o Operator) childRoles(k Kind, c kinds.Child, watched []roleKey) []roleKey {
	if !c.Spec.ListsNamespaces() {
		return watched
	}
	var roles []roleKey
	if k.Namespaced {
		roles = slices.Clone(watched) // the namespaces of their parents
	}
	if k.Namespaced && watched[0].namespace == "" {
		return roles // every namespace
	}
	for _, namespace := range c.Spec.Namespaces {
		if at := (roleKey{namespace, o.ManagerName()}); !slices.Contains(roles, at) {
			roles = append(roles, at)
		}
	}
	return roles
}

// compareRoles orders ClusterRoles first, and the operator's main roles before others of their
// kind.
func (o Operator) compareRoles(a, b roleKey) int {
	rank := func(p roleKey) int {
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

// roleObjects returns a role, and its binding to the operator's ServiceAccount if it is the
// operator's.
func (o Operator) roleObjects(at roleKey, rules []rbacv1.PolicyRule) (objects []runtime.Object) {
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
	meta := o.metaIn(at.namespace, at.name)
	if bound && slices.Contains(o.WatchNamespaces, at.namespace) {
		meta.Annotations = map[string]string{watchedAnnotation: "true"}
	}
	objects = append(objects, &rbacv1.Role{
		TypeMeta: metav1.TypeMeta{APIVersion: version, Kind: "Role"}, ObjectMeta: meta, Rules: rules,
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
