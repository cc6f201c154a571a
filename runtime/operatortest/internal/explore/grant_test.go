package explore

import (
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest/internal/instance"
)

// TestInventedRulesAreNotDesired changes a role of an operator that may create roles, and read ConfigMaps:
// the API server lets it grant nothing else.
func TestInventedRulesAreNotDesired(t *testing.T) {
	t.Parallel()
	o := instance.New(t, instance.Config{
		Controllers: func(operator.Manager) ([]operator.Controller, error) { return nil, nil },
		User:        "limited",
	})
	o.Run()
	o.Create(
		&rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Name: "limited"}, Rules: []rbacv1.PolicyRule{
			{APIGroups: []string{rbacv1.GroupName}, Resources: []string{"roles"}, Verbs: []string{"create"}},
			{APIGroups: []string{""}, Resources: []string{"configmaps"}, Verbs: []string{"get", "list"}},
		}},
		&rbacv1.RoleBinding{
			ObjectMeta: metav1.ObjectMeta{Name: "limited"}, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "limited"},
			Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: "limited"}},
		},
	)
	role := func(verb string) map[string]any {
		return map[string]any{
			"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role",
			"metadata": map[string]any{"name": "web", "namespace": o.Namespace},
			"rules":    []any{map[string]any{"apiGroups": []any{""}, "resources": []any{"configmaps"}, "verbs": []any{verb}}},
		}
	}
	w := writer{client: o.Client, manager: creator, asOperator: o.ClientAsOperator()}
	for verb, isGrantable := range map[string]bool{"list": true, "other": false} {
		var err error
		o.Eventually("the permissions count", func() error { // the API server reads them from a cache
			if err = w.checkGrantable(t.Context(), role("get")); err == nil {
				err = w.checkGrantable(t.Context(), role(verb))
				return nil
			}
			return err
		})
		if isGrantable != (err == nil) || err != nil && !strings.Contains(err.Error(), notHeld) {
			t.Errorf("a role with the verb %s: %v", verb, err)
		}
	}
	w.asOperator = nil
	if err := w.checkGrantable(t.Context(), role("other")); err != nil {
		t.Errorf("an operator without limits: %v", err)
	}
}
