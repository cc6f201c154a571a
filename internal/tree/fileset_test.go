package tree

import "testing"

func TestNamesOfGeneratedFiles(t *testing.T) {
	for name, want := range map[string]bool{
		"zz_generated.mk":                         true,
		"deploy/zz_generated.rbac.yaml":           true,
		"client/doc.go":                           true,
		"deploy/components/a/kustomization.yaml":  true,
		"deploy/components/a/zz_generated.a.yaml": true,
		"deploy/kustomization.yaml":               false,
		"deploy/components/kustomization.yaml":    false,
		"deploy/components/a/patch.yaml":          false,
		"overlays/a/kustomization.yaml":           false,
		"main.go":                                 false,
	} {
		if got := IsGeneratedName(name); got != want {
			t.Errorf("%s: %v, expected %v", name, got, want)
		}
	}
}
