package scaffold

import (
	"bytes"
	"io"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/txtar"
	"sigs.k8s.io/controller-tools/pkg/crd"
	"sigs.k8s.io/controller-tools/pkg/deepcopy"
	"sigs.k8s.io/controller-tools/pkg/genall"
	"sigs.k8s.io/controller-tools/pkg/loader"
	"sigs.k8s.io/controller-tools/pkg/markers"
	"sigs.k8s.io/yaml"

	"github.com/opgen-dev/opgen/internal/crdgen"
	"github.com/opgen-dev/opgen/internal/longtest"
	"github.com/opgen-dev/opgen/internal/spec"
	"github.com/opgen-dev/opgen/internal/tree"
	"github.com/opgen-dev/opgen/internal/workdir"
)

// TestControllerGenAgreesOnGoSource generates projects whose schemas name Go types and of which an
// author owns some types, and runs controller-gen's generators on their Go code: they must make the
// CRDs and the deepcopy code that opgen made. Then opgen takes over what controller-gen has made.
func TestControllerGenAgreesOnGoSource(t *testing.T) {
	longtest.Skip(t, "it loads Go packages of Kubernetes from source, for opgen and for controller-gen")
	for _, variable := range offline {
		name, value, _ := strings.Cut(variable, "=")
		t.Setenv(name, value)
	}
	for _, test := range []struct {
		name  string
		files int // of authors
	}{
		{"gosource", 3}, {"kubebuilder", 3}, {"kubebuilder_multigroup", 2},
	} {
		t.Run(test.name, func(t *testing.T) { agreesWithControllerGen(t, test.name, test.files) })
	}
}

func agreesWithControllerGen(t *testing.T, name string, authorFiles int) {
	t.Helper()
	archive, err := txtar.ParseFile("testdata/" + name + ".txtar")
	if err != nil {
		t.Fatal(err)
	}
	dir := workdir.New(t, name)
	in := inputOf(t, archive)
	for _, f := range archive.Files {
		if filepath.Ext(f.Name) == ".go" {
			write(t, filepath.Join(dir, f.Name), string(f.Data))
		}
	}
	bootstrap(t, dir, in)
	source, err := ReadGo(dir, os.DirFS(dir), in)
	if err != nil {
		t.Fatal(err)
	}
	set, err := Plan(source)
	if err != nil {
		t.Fatal(err)
	}
	changes, err := set.Diff(os.DirFS(dir))
	if err != nil {
		t.Fatal(err)
	}
	if err := changes.Apply(dir); err != nil {
		t.Fatal(err)
	}
	run(t, dir, offline, "go", "vet", "./api/...")
	theirs := controllerGen(t, dir)
	for _, api := range ReadAll(source.APIs) {
		ours, problems := crdgen.CRD(api, in.Project.MinKubernetes)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		text, err := crdgen.MarshalCRDOf(api, ours)
		if err != nil {
			t.Fatal(err)
		}
		want := decoded(t, theirs[ours.Name])
		if diff := cmp.Diff(want, withTheirLimits(decoded(t, text), want)); diff != "" {
			t.Errorf("%s: -controller-gen +opgen:\n%s", ours.Name, diff)
		}
	}
	for name, code := range theirs {
		pkg, isCode := strings.CutPrefix(name, "example.com/op/")
		if !isCode {
			continue
		}
		file := filepath.Join(dir, pkg, "zz_generated.deepcopy.go")
		ours, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		want := bytes.Replace(code, []byte("by controller-gen."), []byte("by opgen."), 1)
		if diff := cmp.Diff(string(want), string(ours)); diff != "" {
			t.Errorf("deepcopy of %s: -controller-gen +opgen:\n%s", pkg, diff)
		}
		licensed := bytes.Replace(code, []byte("// Code generated"), []byte("/*\nCopyright The Authors.\n*/\n\n// Code generated"), 1)
		write(t, file, string(licensed))
	}
	again, err := ReadGo(dir, os.DirFS(dir), inputOf(t, archive))
	if err != nil || len(again.Extra) != authorFiles {
		t.Fatalf("the authors' files are not known: %d, %v", len(again.Extra), err)
	}
	if set, err = Plan(again); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, tree.LockPath)); err != nil {
		t.Fatal(err)
	}
	if changes, err = set.Diff(os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	for _, conflict := range changes.Conflicts() {
		if again.deepCopies["example.com/op/"+path.Dir(conflict.Path)] != nil {
			t.Errorf("what controller-gen has made of a package with an author's types is in conflict: %s", conflict.Path)
		}
	}
}

// addedLimits are the limits of Go types that a schema of opgen has beside those of controller-gen (decision 0066): those of
// durations, times and quantities, and of int32.
var addedLimits = map[string][]any{
	"pattern": {spec.DurationPattern, spec.TimePattern, spec.MicroTimePattern, spec.QuantityPattern},
	"minimum": {float64(math.MinInt32)},
	"maximum": {float64(math.MaxInt32)},
}

// withTheirLimits returns a value of ours with the limits of theirs in the place of added ones. Any other difference stays.
func withTheirLimits(ours, theirs any) any {
	switch ours := ours.(type) {
	case map[string]any:
		theirs, _ := theirs.(map[string]any)
		merged := map[string]any{}
		for key, value := range ours {
			of, isTheirs := theirs[key]
			switch isAdded := slices.Contains(addedLimits[key], value); {
			case isAdded && isTheirs:
				merged[key] = of
			case !isAdded:
				merged[key] = withTheirLimits(value, of)
			}
		}
		return merged
	case []any:
		theirs, _ := theirs.([]any)
		merged := make([]any, len(ours))
		for i, value := range ours {
			var of any
			if i < len(theirs) {
				of = theirs[i]
			}
			merged[i] = withTheirLimits(value, of)
		}
		return merged
	}
	return ours
}

// TestReadGoReadsNothing keeps a project without Go types from loading any package: the folder does
// not even exist.
func TestReadGoReadsNothing(t *testing.T) {
	archive, err := txtar.ParseFile("../../testdata/golden/echo-server.txtar")
	if err != nil {
		t.Fatal(err)
	}
	in := inputOf(t, archive)
	read, err := ReadGo("/does/not/exist", os.DirFS("/does/not/exist"), in)
	if err != nil || read.deepCopies != nil || !slices.Equal(Summaries(read.APIs), Summaries(in.APIs)) {
		t.Errorf("something was read: %v", err)
	}
}

// bootstrap writes the module files that packages are loaded by.
func bootstrap(t *testing.T, dir string, in Input) {
	t.Helper()
	in.APIs = nil
	set, err := Plan(Source{Input: in})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range set.Files() {
		if f.Path == "go.mod" || f.Path == "go.sum" {
			content, err := f.Rendered()
			if err != nil {
				t.Fatal(err)
			}
			write(t, filepath.Join(dir, f.Path), string(content))
		}
	}
}

// controllerGen returns what controller-gen makes of the project's api folder: the CRDs by name,
// and the deepcopy code by import path.
func controllerGen(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	roots, err := loader.LoadRootsWithConfig(&packages.Config{Dir: dir}, "./api/...")
	if err != nil {
		t.Fatal(err)
	}
	allow := true
	crds, objects := crd.Generator{AllowDangerousTypes: &allow, OmitToolVersion: &allow, GenerateEmbeddedObjectMeta: &allow}, deepcopy.Generator{}
	registry := &markers.Registry{}
	outputs := outputs{}
	for _, g := range []genall.Generator{objects, crds} {
		if err := g.RegisterMarkers(registry); err != nil {
			t.Fatal(err)
		}
	}
	for _, g := range []genall.Generator{objects, crds} {
		ctx := &genall.GenerationContext{
			Collector: &markers.Collector{Registry: registry}, Roots: roots, Checker: &loader.TypeChecker{}, OutputRule: outputs,
		}
		if err := g.Generate(ctx); err != nil {
			t.Fatal(err)
		}
	}
	for _, root := range roots {
		for _, err := range root.Errors {
			if err.Kind != packages.TypeError { // of what is not needed, as controller-gen has it
				t.Errorf("controller-gen: %v", err)
			}
		}
	}
	made := map[string][]byte{}
	for name, out := range outputs {
		var head struct{ Metadata struct{ Name string } }
		if filepath.Ext(name) == ".yaml" {
			if err := yaml.Unmarshal(out.Bytes(), &head); err != nil {
				t.Fatal(err)
			}
			name = head.Metadata.Name
		}
		made[name] = out.Bytes()
	}
	return made
}

// outputs keeps what generators write.
type outputs map[string]*bytes.Buffer

func (o outputs) Open(pkg *loader.Package, path string) (io.WriteCloser, error) {
	if pkg != nil {
		path = pkg.PkgPath
	}
	o[path] = &bytes.Buffer{}
	return struct {
		io.Writer
		io.Closer
	}{o[path], io.NopCloser(nil)}, nil
}

// decoded returns a CRD without what means nothing: subresources without any, which controller-gen
// writes beside columns.
func decoded(t *testing.T, text []byte) map[string]any {
	t.Helper()
	var object map[string]any
	if err := yaml.Unmarshal(text, &object); err != nil {
		t.Fatal(err)
	}
	if object == nil {
		t.Fatal("there is no CRD")
	}
	for _, version := range object["spec"].(map[string]any)["versions"].([]any) {
		v := version.(map[string]any)
		if sub, ok := v["subresources"].(map[string]any); ok && len(sub) == 0 {
			delete(v, "subresources")
		}
	}
	return object
}
