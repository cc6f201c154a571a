package gotypes_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/opgen-dev/opgen/internal/gotypes"
	"github.com/opgen-dev/opgen/internal/spec"
)

// TestForeign names the packages that the parts of a schema come from, if they are of other modules.
func TestForeign(t *testing.T) {
	api, problems := spec.ParseAPI("a.yaml", []byte(`
apiVersion: opgen.dev/v1alpha1
kind: API
group: demo.example.com
names: {kind: Held}
versions: [{name: v9, goTypes: true}]
`))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	source := withRegister(module(t, archive(t, "module.txtar")), "v9")
	source.Files["api/v9/held.go"] = []byte(`package v9

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// +kubebuilder:object:root=true
type Held struct {
	metav1.TypeMeta   ` + "`json:\",inline\"`" + `
	metav1.ObjectMeta ` + "`json:\"metadata,omitempty\"`" + `

	Spec Spec ` + "`json:\"spec\"`" + `
}

type Spec struct {
	corev1.SecretReference ` + "`json:\",inline\"`" + `
	Size  int32               ` + "`json:\"size\"`" + `
	Ports []corev1.ContainerPort ` + "`json:\"ports\"`" + `
	Since *metav1.Time        ` + "`json:\"since\"`" + `
}

// +kubebuilder:object:root=true
type HeldList struct {
	metav1.TypeMeta ` + "`json:\",inline\"`" + `
	metav1.ListMeta ` + "`json:\"metadata,omitempty\"`" + `
	Items []Held ` + "`json:\"items\"`" + `
}
`)
	read, problems, err := gotypes.Versions(source, packageOf(api))
	if err != nil || len(problems) > 0 {
		t.Fatal(err, problems)
	}
	root := read.APIs[api].Versions[0]
	const core, meta = "k8s.io/api/core/v1", "k8s.io/apimachinery/pkg/apis/meta/v1"
	field := root.Spec.Property
	got := map[string]string{
		"kind": root.Root.Property("kind").Foreign, "spec": root.Spec.Foreign,
		"size": field("size").Foreign, "since": field("since").Foreign, "ports": field("ports").Foreign,
		"ports[]": field("ports").Items.Foreign, "ports[].name": field("ports").Items.Property("name").Foreign,
		"name": field("name").Foreign,
	}
	expected := map[string]string{
		"kind": meta, "spec": "", "size": "", "since": meta, "ports": "", "ports[]": core, "ports[].name": core, "name": core,
	}
	if diff := cmp.Diff(expected, got); diff != "" {
		t.Error(diff)
	}
}
