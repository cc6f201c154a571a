package gotypes_test

import (
	"bytes"
	"fmt"
	"os/exec"
	"path"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/opgen-dev/opgen/internal/gotypes"
	"github.com/opgen-dev/opgen/internal/longtest"
	"github.com/opgen-dev/opgen/internal/spec"
)

const thing = `package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +kubebuilder:object:root=true

type Thing struct {
	metav1.TypeMeta   ` + "`json:\",inline\"`" + `
	metav1.ObjectMeta ` + "`json:\"metadata,omitempty\"`" + `

	Spec ThingSpec ` + "`json:\"spec,omitempty\"`" + `
}

// +kubebuilder:object:root=true

type ThingList struct {
	metav1.TypeMeta ` + "`json:\",inline\"`" + `
	metav1.ListMeta ` + "`json:\"metadata,omitempty\"`" + `
	Items []Thing ` + "`json:\"items\"`" + `
}
`

const thingAPI = `
apiVersion: opgen.dev/v1alpha1
kind: API
group: demo.example.com
names: {kind: Thing}
versions: [{name: v1, goTypes: true}]
`

// TestShapes holds what is said of types whose schema or deepcopy code is out of the ordinary
// against what is expected. What nothing is said of gives deepcopy code that compiles.
func TestShapes(t *testing.T) {
	compiled := &txtar.Archive{}
	for i, test := range longtest.Cases(t, shapes, 7, "opgen loads Go packages of Kubernetes for each") {
		t.Run(test.name, func(t *testing.T) {
			source := "package v1\n\n" + strings.ReplaceAll(test.source, "'", "`")
			a := &txtar.Archive{Files: []txtar.File{{Name: "api/v1/thing.go", Data: []byte(thing)}, {Name: "api/v1/spec.go", Data: []byte(source)}}}
			api, problems := spec.ParseAPI("api/thing.yaml", []byte(thingAPI))
			if len(problems) > 0 {
				t.Fatal(problems)
			}
			read, problems, err := gotypes.Versions(withRegister(module(t, a), "v1"), packageOf(api))
			if err != nil {
				t.Fatal(err)
			}
			if len(problems) > 0 || test.says != "" {
				if got := problems.Sorted().Error(); got != strings.TrimSpace(test.says) {
					t.Errorf("says\n%s\nwant\n%s", got, strings.TrimSpace(test.says))
				}
				return
			}
			dir := fmt.Sprintf("shape%d/", i)
			for _, file := range append(a.Files, txtar.File{Name: "zz_generated.deepcopy.go", Data: read.DeepCopy["example.com/m/api/v1"]}) {
				compiled.Files = append(compiled.Files, txtar.File{Name: dir + path.Base(file.Name), Data: file.Data})
			}
			for _, name := range test.copies {
				if !bytes.Contains(read.DeepCopy["example.com/m/api/v1"], []byte("DeepCopyInto(out *"+name+")")) {
					t.Errorf("%s is not copied:\n%s", name, read.DeepCopy["example.com/m/api/v1"])
				}
			}
		})
	}
	build := exec.Command("go", "vet", "./...")
	build.Dir = module(t, compiled)
	if out, err := build.CombinedOutput(); err != nil {
		t.Errorf("go vet: %v\n%s", err, out)
	}
}
