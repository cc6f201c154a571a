package operator_test

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

func TestAnEntryWithAccessGetWatchesNothing(t *testing.T) {
	roles := generateRoles(t, siteWithRelated("{apiVersion: v1, kind: ConfigMap, nameFrom: .spec.text, access: get}"))
	w := startWatching(t, func(c *operatortest.Config) { c.Roles = roles },
		operator.RelatedKind{Object: &corev1.ConfigMap{}, NameFrom: ".spec.text", Access: operator.AccessGet})
	object := configMap("a", "1")
	w.Create(object)
	site := w.siteOf("web", "a")
	w.phase(site, "a=1;")
	w.Settled()
	before := w.of("web")
	w.Update(object, func() { object.Data["key"] = "2" })
	w.Settled()
	if after := w.of("web"); after != before {
		t.Errorf("%d reconciles after a change", after-before)
	}
	gets := w.gets()
	w.Reconciled(site)
	w.phase(site, "a=2;")
	w.Settled()
	if reads, reconciles := w.gets()-gets, w.of("web")-before; reads != reconciles {
		t.Errorf("%d live reads in %d reconciles", reads, reconciles)
	}
	w.opens()
	if begun := w.watches.count(); begun > 0 {
		t.Errorf("%d lists and watches", begun)
	}
}

// The generated role limits a fixed name to that name, and lets it be watched.
func TestAFixedNameIsWatchedUnderTheGeneratedRoles(t *testing.T) {
	roles := generateRoles(t, siteWithRelated("{apiVersion: v1, kind: ConfigMap, name: settings}"))
	w := startWatching(t, func(c *operatortest.Config) { c.Roles = roles }, operator.RelatedKind{Object: &corev1.ConfigMap{}, Name: "settings"})
	site, settings := w.site("web"), configMap("settings", "1")
	w.phase(site, "")
	w.Create(settings)
	w.phase(site, "settings=1;")
	w.Update(settings, func() { settings.Data["key"] = "2" })
	w.phase(site, "settings=2;")
}

func TestNamesAreReadUnderTheGeneratedRoles(t *testing.T) {
	roles := generateRoles(t, siteWithRelated("{apiVersion: v1, kind: ConfigMap, nameFrom: .spec.text}"))
	w := startWatching(t, func(c *operatortest.Config) { c.Roles = roles }, byNames)
	w.Create(configMap("a", "1"), configMap("b0", "2"))
	site := w.siteOf("web", "a")
	w.phase(site, "a=1;")
	w.opens("a")
	w.touch(site, names("b", 51))
	w.phase(site, "b0=2;")
	w.opens("metadata")
}

// A role without the right to list and watch says so, instead of showing what was read once.
func TestAMissingRightToWatchNamesIsSaid(t *testing.T) {
	roles := generateRoles(t, siteWithRelated("{apiVersion: v1, kind: ConfigMap, nameFrom: .spec.text, access: get}"))
	w := startWatching(t, func(c *operatortest.Config) { c.Roles, c.LacksRights = roles, true }, byNames)
	w.Create(configMap("a", "1"))
	site := w.siteOf("web", "a")
	w.Eventually("the condition names the right", func() error {
		w.Get(site)
		for _, condition := range site.Status.Conditions {
			if condition.Type == "Ready" && strings.Contains(condition.Message, "read related objects of kind ConfigMap: ") && strings.Contains(condition.Message, "the operator's role does not allow it: make deploy applies the generated role") {
				return nil
			}
		}
		return fmt.Errorf("%v", site.Status.Conditions)
	})
	named := metav1.ObjectMeta{Name: w.Namespace + "-granted"}
	role := &rbacv1.ClusterRole{ObjectMeta: named, Rules: []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"configmaps"}, Verbs: []string{"list", "watch"}}}}
	w.Create(role, &rbacv1.ClusterRoleBinding{
		ObjectMeta: named,
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: named.Name},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.UserKind, APIGroup: rbacv1.GroupName, Name: w.Namespace}},
	})
	w.says(site, allReady)
	w.opens("a")
}

func siteWithRelated(entry string) string {
	return `apiVersion: opgen.dev/v1alpha1
kind: API
group: test.opgen.dev
names: {kind: Site}
acceptWarnings: [secrets]
versions:
- name: v1
  spec: {properties: {text: string}}
  status: {properties: {phase: string}}
operator:
  related:
  - ` + entry + "\n"
}
