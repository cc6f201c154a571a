package deploy

import (
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/opgen-dev/opgen/internal/spec"
)

// RBACObjects are the operator's ServiceAccount and what it may do: in its own namespace by a Role, and by a
// ClusterRole elsewhere. What it does to parents and children is in the Role if it watches that namespace alone.
func (o Operator) RBACObjects() []runtime.Object {
	objects := []runtime.Object{&corev1.ServiceAccount{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ServiceAccount"},
		ObjectMeta: o.metaInNamespace(o.manager()),
	}}
	own, everywhere := leaderRules(), metricsRules()
	for _, rule := range o.kindRules() {
		if o.Watch == spec.WatchNamespace && len(rule.NonResourceURLs) == 0 {
			own = append(own, rule)
		} else {
			everywhere = append(everywhere, rule)
		}
	}
	if rules := merge(everywhere); len(rules) > 0 {
		objects = append(objects, o.clusterRole(rules)...)
	}
	return append(objects, o.role(merge(own))...)
}

func (o Operator) clusterRole(rules []rbacv1.PolicyRule) []runtime.Object {
	return []runtime.Object{
		&rbacv1.ClusterRole{
			TypeMeta:   metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: "ClusterRole"},
			ObjectMeta: o.meta(o.manager()),
			Rules:      rules,
		},
		&rbacv1.ClusterRoleBinding{
			TypeMeta:   metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: "ClusterRoleBinding"},
			ObjectMeta: o.meta(o.manager()),
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: o.manager()},
			Subjects:   o.subjects(),
		},
	}
}

func (o Operator) role(rules []rbacv1.PolicyRule) []runtime.Object {
	return []runtime.Object{
		&rbacv1.Role{
			TypeMeta:   metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: "Role"},
			ObjectMeta: o.metaInNamespace(o.manager()),
			Rules:      rules,
		},
		&rbacv1.RoleBinding{
			TypeMeta:   metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: "RoleBinding"},
			ObjectMeta: o.metaInNamespace(o.manager()),
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: o.manager()},
			Subjects:   o.subjects(),
		},
	}
}

func (o Operator) subjects() []rbacv1.Subject {
	return []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Name: o.manager(), Namespace: o.Namespace()}}
}
