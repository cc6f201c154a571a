package instance

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const crdOfNewKind = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: owners.%[1]s.opgen.dev}
spec:
  group: %[1]s.opgen.dev
  names: {kind: Owner, listKind: OwnerList, plural: owners, singular: owner}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object}}
`

// An API server that has just looked up another kind knows no new one for up to half a minute.
func TestANewKindCanBeAnOwnerOnceTheHarnessHasStarted(t *testing.T) {
	t.Parallel()
	for _, round := range []string{"first", "second"} {
		group := fmt.Sprintf("%s%d", round, time.Now().UnixNano())
		path := filepath.Join(t.TempDir(), "crd.yaml")
		if err := os.WriteFile(path, fmt.Appendf(nil, crdOfNewKind, group), 0o600); err != nil {
			t.Fatal(err)
		}
		o := New(t, Config{CRDs: []string{path}, Roles: "../../testdata/roles.yaml"})
		crds, err := ReadCRDs(path)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			o.DeleteObjects(append(o.rights, crds[0], &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: o.Namespace}})...)
		})
		limited := o.clientAs(limitedUser)
		if err := o.tryOwner(limited, crds[0]); err != nil {
			t.Errorf("the %s kind: %v", round, err)
		}
	}
}
