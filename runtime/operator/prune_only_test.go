package operator_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/opgen-dev/opgen/runtime/operator"
)

// The CRD of a kind that is only pruned may be gone, whatever its place among the kinds.
func TestPruneOnlyKindThatIsNotServedIsPassedOver(t *testing.T) {
	c := startCustom(t, customDesire(func(req *customRequest, want *Desired) {
		want.ConfigMaps.Add(configMap("web", req.Parent.Spec.Text))
		if observed, ok := req.Children.ConfigMaps.Get("web"); ok {
			want.Secrets.Add(named(&corev1.Secret{}, "saw-"+observed.Data["key"]))
		}
	}), func(d *definition) {
		d.Kinds = func(observed *Children, desired *Desired) []operator.ChildKind {
			gone := operator.ChildKind{Object: operator.Unstructured("example.com/v1", "Nowhere"), PruneOnly: true}
			described := []operator.ChildKind{gone}
			for _, kind := range kinds(observed, desired) {
				described = append(described, kind, gone)
			}
			return described
		}
		d.Finalize = func(_ context.Context, req *customRequest) (*Response, error) {
			return &Response{Children: new(Desired), Finalized: req.Children.ConfigMaps.Len() == 0}, nil
		}
	})
	site, child, secret := c.site("web"), configMap("web", ""), named(&corev1.Secret{}, "saw-hello")
	c.Exists(child, secret)
	c.touch(site, "two")
	c.Gone(secret)
	c.Exists(named(&corev1.Secret{}, "saw-two"))
	c.Restart()
	c.Delete(site)
	c.Gone(site, child)
}

// siteSpec describes the Sites of these tests to the generator.
const siteSpec = `apiVersion: opgen.dev/v1alpha1
kind: API
group: test.opgen.dev
names: {kind: Site}
scope: Namespaced
versions:
- name: v1
  spec: {properties: {text: string}}
operator:
  children:
  - {apiVersion: v1, kind: ConfigMap, pruneOnly: true}
  - {apiVersion: v1, kind: Secret}
  - {apiVersion: v1, kind: Service}
  - {apiVersion: v1, kind: Pod}
  - {apiVersion: v1, kind: ServiceAccount}
`

// generateRoles returns the file of the roles that the generator makes of a spec file.
func generateRoles(t *testing.T, spec string) string {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "site.yaml")
	if err := os.WriteFile(file, []byte(spec), 0o600); err != nil {
		t.Fatal(err)
	}
	opgen, project := filepath.Join(dir, "opgen"), filepath.Join(dir, "project")
	runIn(t, ".", "go", "build", "-o", opgen, "../../cmd/opgen")
	runIn(t, dir, opgen, "init", project, "--module", "example.com/site", "--domain", "opgen.dev")
	runIn(t, project, opgen, "create", "api", "-f", file)
	return filepath.Join(project, "deploy", "zz_generated.rbac.yaml")
}

func runIn(t *testing.T, dir, name string, args ...string) {
	t.Helper()
	command := exec.CommandContext(t.Context(), name, args...)
	command.Dir = dir
	if output, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s", command, err, output)
	}
}

// The cleanup reads a leaked child live, so the role must allow that, too.
func TestLeakedChildOfAPruneOnlyKindIsCleanedUpUnderTheGeneratedRoles(t *testing.T) {
	t.Parallel()
	c := addCustomAs(t, generateRoles(t, siteSpec), customDesire(func(*customRequest, *Desired) {}), func(d *definition) {
		d.Kinds = func(observed *Children, desired *Desired) []operator.ChildKind {
			described := kinds(observed, desired)
			described[0] = operator.ChildKind{Object: &corev1.ConfigMap{}, PruneOnly: true, Namespaces: []string{operator.AllNamespaces}}
			return described
		}
	}, func(o *operator.Options) { o.Namespaces = nil })
	site := c.site("web")
	c.says(site, allReady)
	other := c.elsewhere()
	leaked := c.leak(other, "of-a-parent-that-is-gone", nil)
	c.Gone(leaked)

	earlier := c.leak(other, "of-an-earlier-parent", func(child *corev1.ConfigMap) {
		child.Annotations[c.group+"/parent"] = "Site.test.opgen.dev/" + c.Namespace + "/web"
	})
	c.Gone(earlier)
	c.Reconciled(site)
	c.says(site, allReady)
}
