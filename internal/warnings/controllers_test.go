package warnings_test

import (
	"testing"

	"github.com/opgen-dev/opgen/internal/spec"
	"github.com/opgen-dev/opgen/internal/warnings"
)

func TestControllersWithPowerfulChildren(t *testing.T) {
	const file = `apiVersion: opgen.dev/v1alpha1
kind: Controller
name: roles
parents:
- {apiVersion: v1, kind: ConfigMap}
- {apiVersion: v1, kind: Secret}
operator:
  children:
  - {apiVersion: v1, kind: Service}
  - {apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole}
`
	const want = "controllers/roles.yaml:10:54: operator.children[1].kind: ClusterRole grants rights, and whoever may write ConfigMap or Secret " +
		"makes the operator do so\n    be sure that Sync lets no author of a ConfigMap or Secret choose which"
	for text, want := range map[string]string{file: want, file + "acceptWarnings: [privileged]\n": ""} {
		controller, problems := spec.ParseController("controllers/roles.yaml", []byte(text))
		if err := problems.Err(); err != nil {
			t.Fatal(err)
		}
		if got := warnings.OfControllers([]*spec.Controller{controller}).Error(); got != want {
			t.Errorf("got:\n%s\nwant:\n%s", got, want)
		}
	}
}

func TestControllersWithChildrenThatMayNeverBeReady(t *testing.T) {
	const file = `apiVersion: opgen.dev/v1alpha1
kind: Controller
name: certificates
parents:
- {apiVersion: v1, kind: Service}
operator:
  children:
  - {apiVersion: v1, kind: Secret}
  - {apiVersion: cert-manager.io/v1, kind: Certificate, plural: certificates, scope: Namespaced}
`
	const want = "controllers/certificates.yaml:9:44: operator.children[1].kind: Certificate is ready once it has the condition Ready=True, " +
		"and opgen does not know whether it ever has that\n" +
		"    if it never has, set readyWhen (\"true\": it is ready when it exists)"
	for text, want := range map[string]string{file: want, file + "acceptWarnings: [readiness]\n": ""} {
		controller, problems := spec.ParseController("controllers/certificates.yaml", []byte(text))
		if err := problems.Err(); err != nil {
			t.Fatal(err)
		}
		if got := warnings.OfReadiness(nil, nil, []*spec.Controller{controller}).Error(); got != want {
			t.Errorf("got:\n%s\nwant:\n%s", got, want)
		}
	}
}
