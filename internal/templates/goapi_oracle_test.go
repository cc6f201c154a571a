package templates

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/go/packages"
	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/controller-tools/pkg/crd"
	"sigs.k8s.io/controller-tools/pkg/deepcopy"
	"sigs.k8s.io/controller-tools/pkg/genall"
	"sigs.k8s.io/controller-tools/pkg/loader"
	"sigs.k8s.io/controller-tools/pkg/markers"
	"sigs.k8s.io/yaml"

	"github.com/opgen-dev/opgen/internal/crdgen"
	"github.com/opgen-dev/opgen/internal/kubetypes"
	"github.com/opgen-dev/opgen/internal/longtest"
	"github.com/opgen-dev/opgen/internal/workdir"
	"github.com/opgen-dev/opgen/tools/oracle"
)

// TestControllerGenAgrees runs controller-gen's generators on the generated Go types: they must
// make the very CRD and the very deepcopy code that opgen made from the spec. What markers cannot
// express is listed in the case.
func TestControllerGenAgrees(t *testing.T) {
	longtest.Skip(t, "it loads Go packages of Kubernetes from source, and vets the code of all cases")
	cases := apiCases(t)
	dir := writeModule(t, cases)
	vet(t, dir)
	roots, err := loader.LoadRootsWithConfig(&packages.Config{Dir: dir}, "./...")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			ours := slices.DeleteFunc(slices.Clone(roots), func(p *loader.Package) bool {
				return !strings.HasPrefix(p.PkgPath, oracleModule+"/"+c.name+"/")
			})
			outputs := controllerGen(t, ours, kubetypes.NamesMetadata(c.crd.Spec.Versions[0].Schema.OpenAPIV3Schema))
			for _, pkg := range c.packages {
				got := string(rendered(t, pkg)["zz_generated.deepcopy.go"])
				want := strings.Replace(outputs[pkg.ImportPath], "by controller-gen.", "by opgen.", 1)
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("deepcopy of %s: -controller-gen +opgen:\n%s", pkg.Name, diff)
				}
			}
			gaps := leaveOutGaps(c)
			if want := strings.TrimSpace(string(c.file(t, "not-expressible"))); gaps != want {
				t.Errorf("not expressible:\n%s\nwant:\n%s", gaps, want)
			}
			theirs := decodeCRD(t, []byte(outputs["crd"]))
			for i := range theirs.Spec.Versions { // controller-gen names all fields of metadata, or none
				root := &theirs.Spec.Versions[i].Schema.OpenAPIV3Schema
				*root = new(kubetypes.WithMetadata(**root, kubetypes.Metadata(c.packages[0].Kinds[0].API.EmbeddedMetadata)))
			}
			expressed := c
			expressed.crd = theirs
			leaveOutGaps(expressed)
			if diff := cmp.Diff(comparable(t, theirs), comparable(t, c.crd)); diff != "" {
				t.Errorf("CRD: -controller-gen +opgen:\n%s", diff)
			}
		})
	}
}

// writeModule writes the packages of all cases into a module with the requirements of this one.
func writeModule(t *testing.T, cases []apiCase) string {
	t.Helper()
	dir := workdir.New(t, "go-api")
	mod := read(t, "../../go.mod")
	mod = regexp.MustCompile(`(?m)^module .*$`).ReplaceAll(mod, []byte("module "+oracleModule))
	write(t, filepath.Join(dir, "go.mod"), mod)
	write(t, filepath.Join(dir, "go.sum"), read(t, "../../go.sum"))
	for _, c := range cases {
		for _, pkg := range c.packages {
			for name, source := range rendered(t, pkg) {
				write(t, filepath.Join(dir, c.name, pkg.Dir, name), source)
			}
		}
	}
	return dir
}

// vet compiles and vets the packages.
func vet(t *testing.T, dir string) {
	t.Helper()
	cmd := exec.Command("go", "vet", "./...")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go vet: %v\n%s", err, out)
	}
}

// controllerGen returns what controller-gen makes of packages: the deepcopy code by import path,
// and the CRD under "crd".
func controllerGen(t *testing.T, roots []*loader.Package, embeddedMetadata bool) map[string]string {
	t.Helper()
	registry := &markers.Registry{}
	allow := true
	crds := crd.Generator{AllowDangerousTypes: &allow, OmitToolVersion: &allow, GenerateEmbeddedObjectMeta: &embeddedMetadata}
	objects := deepcopy.Generator{}
	for _, g := range []genall.Generator{crds, objects} {
		if err := g.RegisterMarkers(registry); err != nil {
			t.Fatal(err)
		}
	}
	outputs := collected{}
	for _, g := range []genall.Generator{objects, crds} {
		ctx := &genall.GenerationContext{
			Collector:  &markers.Collector{Registry: registry},
			Roots:      roots,
			Checker:    &loader.TypeChecker{},
			OutputRule: outputs,
		}
		if err := g.Generate(ctx); err != nil {
			t.Fatal(err)
		}
	}
	for _, root := range roots {
		for _, err := range root.Errors {
			t.Errorf("controller-gen: %v", err)
		}
	}
	texts := map[string]string{}
	for name, text := range outputs {
		texts[name] = text.String()
	}
	return texts
}

// collected keeps what generators write.
type collected map[string]*bytes.Buffer

func (c collected) Open(pkg *loader.Package, path string) (io.WriteCloser, error) {
	key := "crd"
	if pkg != nil {
		key = pkg.PkgPath
	}
	c[key] = &bytes.Buffer{}
	return struct {
		io.Writer
		io.Closer
	}{c[key], io.NopCloser(nil)}, nil
}

// leaveOutGaps removes from a case's CRD what markers cannot express, and returns a list of it.
func leaveOutGaps(c apiCase) string {
	var lines []string
	for i, pkg := range c.packages {
		root := c.crd.Spec.Versions[i].Schema.OpenAPIV3Schema
		for _, gap := range oracle.NotExpressible(pkg) {
			lines = append(lines, gap.Path+" "+gap.What)
			steps := strings.Split(gap.Path, ".")[1:]
			edit(root, steps, func(s *apiextv1.JSONSchemaProps) { clearKeyword(s, gap.What) })
		}
	}
	return strings.Join(lines, "\n")
}

func clearKeyword(s *apiextv1.JSONSchemaProps, what string) {
	switch what {
	case "description":
		s.Description = ""
	case "allOf":
		s.AllOf = nil
	case "anyOf":
		s.AnyOf = nil
	case "oneOf":
		s.OneOf = nil
	case "not":
		s.Not = nil
	case "example":
		s.Example = nil
	case "minimum":
		s.Minimum = nil
	case "maximum":
		s.Maximum = nil
	case "pattern": // over that of the type: controller-gen asks for both
		s.Pattern, s.AllOf = "", nil
	case "keywords of an element of a Kubernetes type":
		*s = apiextv1.JSONSchemaProps{}
	case "nullable":
		s.Nullable = false
	default:
		panic(fmt.Sprintf("no way to leave out %s", what))
	}
}

func edit(s *apiextv1.JSONSchemaProps, steps []string, change func(*apiextv1.JSONSchemaProps)) {
	if len(steps) == 0 {
		change(s)
		return
	}
	if steps[0] == "items" && s.Items != nil {
		edit(s.Items.Schema, steps[1:], change)
		return
	}
	if steps[0] == "additionalProperties" && s.AdditionalProperties != nil {
		edit(s.AdditionalProperties.Schema, steps[1:], change)
		return
	}
	property := s.Properties[steps[0]]
	edit(&property, steps[1:], change)
	s.Properties[steps[0]] = property
}

// comparable returns a CRD without the differences that mean nothing: the order of versions, and a
// subresources object without any subresource, which controller-gen writes beside columns.
func comparable(t *testing.T, in *apiextv1.CustomResourceDefinition) map[string]any {
	t.Helper()
	out := in.DeepCopy()
	slices.SortFunc(out.Spec.Versions, func(a, b apiextv1.CustomResourceDefinitionVersion) int {
		return strings.Compare(a.Name, b.Name)
	})
	for i := range out.Spec.Versions {
		v := &out.Spec.Versions[i]
		if v.Subresources != nil && v.Subresources.Status == nil && v.Subresources.Scale == nil {
			v.Subresources = nil
		}
	}
	text, err := crdgen.MarshalCRD(out)
	if err != nil {
		t.Fatal(err)
	}
	var object map[string]any
	if err := yaml.Unmarshal(text, &object); err != nil {
		t.Fatal(err)
	}
	return object
}

func decodeCRD(t *testing.T, text []byte) *apiextv1.CustomResourceDefinition {
	t.Helper()
	out := &apiextv1.CustomResourceDefinition{}
	if err := yaml.UnmarshalStrict(text, out); err != nil {
		t.Fatal(err)
	}
	return out
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func write(t *testing.T, path string, text []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
}
