package gotypes_test

import (
	"path"
	"strings"
	"testing"

	"github.com/opgen-dev/opgen/internal/gotypes"
	"github.com/opgen-dev/opgen/internal/spec"
)

const register = `
// +kubebuilder:object:generate=true
// +groupName=demo.example.com
package `

// TestGoldenErrors holds what is said of authors' types that are wrong against what is expected.
func TestGoldenErrors(t *testing.T) {
	a := archive(t, "errors.txtar")
	dir := module(t, a)
	got := map[string]string{}
	for _, version := range []string{"v1", "v2", "v3", "v4", "v5", "v6"} {
		api, problems := spec.ParsePartial(version+".yaml", file(a, version+".yaml"))
		if api == nil {
			t.Fatal(problems)
		}
		_, problems, err := gotypes.Versions(withRegister(dir, version), packageOf(api))
		if err != nil {
			t.Fatal(err)
		}
		got[version] = problems.Sorted().Error() + "\n"
	}
	golden(t, "mistakes_found.txtar", got)
}

// withRegister is the module with a file in memory, as it is when opgen is to generate that file.
func withRegister(dir, version string) gotypes.Source {
	return gotypes.Source{Dir: dir, Files: map[string][]byte{
		path.Join("api", version, "zz_generated.register.go"): []byte(register + version + "\n"),
	}}
}

func packageOf(api *spec.API) []gotypes.AuthoredPackage {
	dir := "api/" + api.Versions[0].Name
	return []gotypes.AuthoredPackage{{ImportPath: "example.com/m/" + dir, Dir: dir, Kinds: []gotypes.KindVersion{{API: api, List: api.Names.GoListKind}}}}
}

// TestVersionsReadsWhatIsNotThere reads a package of which no file is on disk.
func TestVersionsReadsWhatIsNotThere(t *testing.T) {
	dir := module(t, archive(t, "module.txtar"))
	api, problems := spec.ParseAPI("a.yaml", []byte(`
apiVersion: opgen.dev/v1alpha1
kind: API
group: demo.example.com
names: {kind: New}
versions: [{name: v9, goTypes: true}]
`))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	source := withRegister(dir, "v9")
	source.Files["api/v9/new.go"] = []byte(`package v9

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +kubebuilder:object:root=true
type New struct {
	metav1.TypeMeta   ` + "`json:\",inline\"`" + `
	metav1.ObjectMeta ` + "`json:\"metadata,omitempty\"`" + `

	// +kubebuilder:validation:Minimum=1
	Size int32 ` + "`json:\"size\"`" + `
}

// +kubebuilder:object:root=true
type NewList struct {
	metav1.TypeMeta ` + "`json:\",inline\"`" + `
	metav1.ListMeta ` + "`json:\"metadata,omitempty\"`" + `
	Items []New ` + "`json:\"items\"`" + `
}
`)
	read, problems, err := gotypes.Versions(source, packageOf(api))
	if err != nil || len(problems) > 0 {
		t.Fatal(err, problems)
	}
	v := read.APIs[api].Versions[0]
	if api.Versions[0].Root != nil || v.Root == nil || v.Spec != nil || v.Status != nil || v.Authored == nil {
		t.Fatalf("got %+v", v)
	}
	for _, p := range v.Root.Properties {
		if p.Name != "size" {
			continue
		}
		if got := p.Schema.At["minimum"].String(); got != "api/v9/new.go:10:5" {
			t.Errorf("minimum is at %s", got)
		}
		if got := p.Pos.String(); got != "api/v9/new.go:11:2" {
			t.Errorf("size is at %s", got)
		}
	}
	if code := string(read.DeepCopy["example.com/m/api/v9"]); !strings.Contains(code, "func (in *New) DeepCopyObject()") {
		t.Errorf("deepcopy:\n%s", code)
	}
}
