package deployment

import (
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// crdWith returns a CRD with versions, of which the last is that of storage.
func crdWith(t *testing.T, versions ...string) []*Object {
	t.Helper()
	text := "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: spaces.NAME.example.com}\nspec:\n" +
		"  group: NAME.example.com\n  scope: Namespaced\n  names: {kind: Space, plural: spaces, singular: space, listKind: SpaceList}\n  versions:\n"
	for i, version := range versions {
		text += fmt.Sprintf("  - {name: %s, served: true, storage: %v, schema: {openAPIV3Schema: {type: object}}}\n", version, i == len(versions)-1)
	}
	return parse(t, strings.ToLower(t.Name()), text)
}

// A CRD without a version that was stored is refused by the API server, and the error says what to do. Done so, the CRD is
// accepted.
func TestApplySaysHowAVersionGoes(t *testing.T) {
	c := connectForTest(t)
	mustApply(t, c, crdWith(t, "v1alpha1"))
	mustApply(t, c, crdWith(t, "v1alpha1", "v1"))
	_, err := c.Apply(t.Context(), crdWith(t, "v1"), ApplyOptions{})
	if err == nil {
		t.Fatal("the API server accepts it")
	}
	const command, patch = "kubectl patch crd spaces.testapplysayshowaversiongoes.example.com --subresource=status --type=merge", `{"status":{"storedVersions":["v1"]}}`
	for _, part := range []string{"v1alpha1", "status.storedVersions", "served: false", command, patch} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("the error does not say %s: %v", part, err)
		}
	}
	client, err := c.access(crdWith(t, "v1")[0])
	if err == nil {
		_, err = client.Patch(t.Context(), "spaces.testapplysayshowaversiongoes.example.com", types.MergePatchType, []byte(patch), metav1.PatchOptions{}, "status")
	}
	if err != nil {
		t.Fatal(err)
	}
	mustApply(t, c, crdWith(t, "v1"))
}

// A CRD that is too large for the annotation of kubectl apply is applied on the server's side, also after it was changed.
func TestApplyTakesALargeCRD(t *testing.T) {
	c := connectForTest(t)
	for _, size := range []int{300 << 10, 301 << 10} {
		crds := crdWith(t, "v1")
		versions, _, _ := unstructured.NestedSlice(crds[0].Object, "spec", "versions")
		versions[0].(map[string]any)["schema"] = map[string]any{"openAPIV3Schema": map[string]any{"type": "object", "description": strings.Repeat("a", size)}}
		if err := unstructured.SetNestedSlice(crds[0].Object, versions, "spec", "versions"); err != nil {
			t.Fatal(err)
		}
		if changes := mustApply(t, c, crds); changes[0].Action == Unchanged {
			t.Errorf("%d bytes: %v", size, changes)
		}
	}
}
