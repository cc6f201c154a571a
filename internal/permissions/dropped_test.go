package permissions

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

const echoServer = "../../examples/echo-server"

// TestNoPermissionCanBeDropped takes one permission after the other from the roles of echo-server, and requires that its
// tests fail. Those that need no test have a reason.
func TestNoPermissionCanBeDropped(t *testing.T) {
	if os.Getenv("OPGEN_EXPLORE") != "all" || os.Getenv("OPGEN_TEST_KUBECONFIG") == "" {
		t.Skip("it runs the tests of an example two dozen times: make explore")
	}
	manifest, err := os.ReadFile(filepath.Join(echoServer, "deploy", "zz_generated.rbac.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	granted, err := Parse(manifest)
	if err != nil {
		t.Fatal(err)
	}
	tests := filepath.Join(t.TempDir(), "tests")
	build := exec.CommandContext(t.Context(), "go", "test", "-c", "-o", tests, "./internal/echoserver")
	build.Dir = echoServer
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	t.Run("with all permissions", func(t *testing.T) {
		if output, err := runWithRoles(t, tests, granted); err != nil {
			t.Fatalf("%v: %s", err, output)
		}
	})
	for i, p := range granted {
		t.Run(p.Verb+" "+p.Target.String(), func(t *testing.T) {
			t.Parallel()
			if reason := reasonFor(p, granted); reason != "" {
				t.Skip("needed ", reason)
			}
			if output, err := runWithRoles(t, tests, slices.Delete(slices.Clone(granted), i, i+1)); err == nil {
				t.Errorf("the tests pass without it:\n%s", output)
			}
		})
	}
}

// runWithRoles runs tests in a copy of what they read of the project, with other roles.
func runWithRoles(t *testing.T, tests string, granted []Permission) ([]byte, error) {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "deploy"), os.DirFS(filepath.Join(echoServer, "deploy"))); err != nil {
		t.Fatal(err)
	}
	var roles []byte
	for _, p := range granted {
		roles = append(roles, marshalRole(t, p)...)
	}
	account := "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: echo, namespace: echo-operator-system}\n"
	if err := os.WriteFile(filepath.Join(dir, "deploy", "zz_generated.rbac.yaml"), append([]byte(account), roles...), 0o600); err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), tests, "-test.run=^Test(EchoServer|Explore)$", "-test.failfast", "-test.timeout=5m")
	command.Dir = filepath.Join(dir, "internal", "echoserver")
	if err := os.MkdirAll(command.Dir, 0o755); err != nil {
		t.Fatal(err)
	}
	command.Env = append(os.Environ(), "OPGEN_EXPLORE=", "OPGEN_TEST_PATIENCE=20s")
	return command.CombinedOutput()
}

// marshalRole returns a role with one permission.
func marshalRole(t *testing.T, p Permission) []byte {
	t.Helper()
	role := map[string]any{
		"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": metav1.ObjectMeta{Name: "echo"},
		"rules": []rbacv1.PolicyRule{{APIGroups: []string{p.Group}, Resources: []string{p.Resource}, Verbs: []string{p.Verb}}},
	}
	if p.Namespace != "" {
		role["kind"], role["metadata"] = "Role", metav1.ObjectMeta{Name: "echo", Namespace: p.Namespace}
	}
	data, err := yaml.Marshal(role)
	if err != nil {
		t.Fatal(err)
	}
	return append([]byte("---\n"), data...)
}
