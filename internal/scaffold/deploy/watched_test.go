package deploy

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/opgen-dev/opgen/internal/spec"
)

// It writes Events about its Leases where they are, whatever it watches.
func TestRolesInEachWatchedNamespace(t *testing.T) {
	kind := Kind{Group: "shop.example.com", Plural: "shops", Namespaced: true}
	o := Operator{Name: "shop", Watch: spec.WatchNamespace, WatchNamespaces: []string{"a", "shop-system"}, Kinds: []Kind{kind}}
	places := map[string]string{}
	for _, object := range o.RBACObjects() {
		if role, isRole := object.(*rbacv1.Role); isRole {
			if role.Annotations[watchedAnnotation] != "true" {
				t.Errorf("the Role in %s does not say that the operator watches it", role.Namespace)
			}
			for _, rule := range role.Rules {
				places[role.Namespace] += strings.Join(rule.Resources, " ") + " "
			}
		}
	}
	for namespace, expected := range map[string][]string{"a": {"shops", "events", "!leases"}, "shop-system": {"shops", "events", "leases"}} {
		for _, resource := range expected {
			name, unwanted := strings.CutPrefix(resource, "!")
			if strings.Contains(places[namespace], name) == unwanted {
				t.Errorf("the Role in %s has %q, expected %s", namespace, places[namespace], resource)
			}
		}
	}
	o.WatchNamespaces = []string{"a"}
	for _, object := range o.RBACObjects() {
		if role, isRole := object.(*rbacv1.Role); isRole && role.Namespace == "shop-system" {
			if diff := cmp.Diff([]string{"coordination.k8s.io/leases: create", "coordination.k8s.io/leases[shop]: get update", events}, lines(role.Rules)); diff != "" {
				t.Errorf("the Role in the operator's namespace (-want +got):\n%s", diff)
			}
		}
	}
	o.WatchNamespaces = []string{"a", "shop-system"}
	if len(places) != 2 {
		t.Errorf("Roles in %v, expected a and shop-system", places)
	}
	if args := strings.Join(o.managerArgs(), " "); !strings.Contains(args, "--namespace=a,shop-system") {
		t.Errorf("arguments %s", args)
	}
	// It enforces the restricted standard where it watches other namespaces alone.
	for namespaces, expected := range map[string]string{"a": "restricted", "a,shop-system": "", "": ""} {
		o.WatchNamespaces = nil
		if namespaces != "" {
			o.WatchNamespaces = strings.Split(namespaces, ",")
		}
		labels := o.NamespaceObjects()[0].(*corev1.Namespace).Labels
		if got := labels[podSecurityLabel+"enforce"]; got != expected {
			t.Errorf("watching %q: enforces %q, expected %q", namespaces, got, expected)
		}
	}
}
