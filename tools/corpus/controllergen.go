package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/controller-tools/pkg/crd"
	"sigs.k8s.io/controller-tools/pkg/genall"
	"sigs.k8s.io/controller-tools/pkg/loader"
	"sigs.k8s.io/controller-tools/pkg/markers"
	"sigs.k8s.io/yaml"

	"github.com/opgen-dev/opgen/internal/crdgen"
	"github.com/opgen-dev/opgen/internal/gomodel"
	"github.com/opgen-dev/opgen/internal/kubetypes"
)

// controllerGen runs controller-gen's CRD generator on the generated packages, which are loaded
// once.
type controllerGen struct {
	roots     []*loader.Package
	collector *markers.Collector
	checker   *loader.TypeChecker
	generator crd.Generator
}

func (m *module) newControllerGen() (*controllerGen, error) {
	allow := true
	g := &controllerGen{
		checker:   &loader.TypeChecker{},
		generator: crd.Generator{AllowDangerousTypes: &allow, OmitToolVersion: &allow},
	}
	registry := &markers.Registry{}
	if err := g.generator.RegisterMarkers(registry); err != nil {
		return nil, err
	}
	g.collector = &markers.Collector{Registry: registry}
	var err error
	g.roots, err = loader.LoadRootsWithConfig(&packages.Config{Dir: m.dir, Env: m.environ()}, "./...")
	return g, err
}

// generateCRD returns the CRD that controller-gen makes of the Go types of one.
func (g *controllerGen) generateCRD(s *subject) (map[string]any, error) {
	var roots []*loader.Package
	for _, root := range g.roots {
		if slices.ContainsFunc(s.packages, func(p gomodel.Package) bool { return p.ImportPath == root.PkgPath }) {
			roots = append(roots, root)
		}
	}
	var out output
	generator := g.generator
	generator.GenerateEmbeddedObjectMeta = new(slices.ContainsFunc(s.crd.Spec.Versions, func(v apiextv1.CustomResourceDefinitionVersion) bool {
		return kubetypes.NamesMetadata(v.Schema.OpenAPIV3Schema)
	}))
	ctx := &genall.GenerationContext{Collector: g.collector, Checker: g.checker, Roots: roots, OutputRule: &out}
	if err := generator.Generate(ctx); err != nil {
		return nil, err
	}
	for _, root := range roots {
		if len(root.Errors) > 0 && !s.hasGap("served") {
			return nil, root.Errors[0]
		}
	}
	var object map[string]any
	return object, yaml.Unmarshal(out.Bytes(), &object)
}

// output keeps what a generator writes.
type output struct{ bytes.Buffer }

func (w *output) Open(*loader.Package, string) (io.WriteCloser, error) {
	w.Reset()
	return nopCloser{&w.Buffer}, nil
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// controllerGen compares the CRDs of controller-gen with ours, where markers can say all.
func (t *table) controllerGen(m *module) error {
	t.progress.showStep("loading the Go types", 0, 0)
	g, err := m.newControllerGen()
	if err != nil {
		return err
	}
	for i := range t.crds {
		c := &t.crds[i]
		t.progress.showStep("running controller-gen", i, len(t.crds))
		if !c.vets {
			continue
		}
		c.gaps = c.subject.schemaGaps()
		theirs, err := g.generateCRD(&c.subject)
		if err != nil {
			t.addFailure("%s: controller-gen: %v", c.name, err)
			continue
		}
		ours, err := asObject(withDefaults(c.subject.crd))
		if err != nil {
			return err
		}
		leaveOutGaps(ours, c.subject.packages)
		leaveOutGaps(theirs, c.subject.packages)
		if c.generated = sameVersions(ours, theirs); !c.generated {
			t.addFailure("%s: controller-gen makes another CRD of the Go types: %s", c.name, firstDifference(normalForm(ours, ""), normalForm(theirs, ""), ""))
		}
	}
	return nil
}

// withDefaults returns a CRD with the names that the API server fills in, which controller-gen
// always writes, and without the conversion, which is none of the types' business.
func withDefaults(made *apiextv1.CustomResourceDefinition) *apiextv1.CustomResourceDefinition {
	out := made.DeepCopy()
	out.Spec.Names.Singular = cmp.Or(out.Spec.Names.Singular, strings.ToLower(out.Spec.Names.Kind))
	out.Spec.Names.ListKind = cmp.Or(out.Spec.Names.ListKind, out.Spec.Names.Kind+"List")
	out.Spec.Conversion = nil
	delete(out.Annotations, "controller-gen.kubebuilder.io/version") // its version
	return out
}

func asObject(made *apiextv1.CustomResourceDefinition) (map[string]any, error) {
	text, err := crdgen.MarshalCRD(made)
	if err != nil {
		return nil, err
	}
	var object map[string]any
	return object, yaml.Unmarshal(text, &object)
}

// sameVersions reports whether two CRDs say the same, whatever the order of their versions. What is
// empty means nothing outside of the schemas; controller-gen writes an empty subresources beside
// columns.
func sameVersions(a, b map[string]any) bool {
	for _, object := range []map[string]any{a, b} {
		spec, _ := object["spec"].(map[string]any)
		names, _ := spec["names"].(map[string]any)
		metadata, _ := object["metadata"].(map[string]any)
		dropEmpty(names)
		dropEmpty(metadata)
		versions, _ := spec["versions"].([]any)
		slices.SortFunc(versions, func(x, y any) int { return strings.Compare(versionName(x), versionName(y)) })
		for _, v := range versions {
			version, _ := v.(map[string]any)
			dropEmpty(version)
		}
	}
	return isSameCRD(a, b)
}

func dropEmpty(object map[string]any) {
	maps.DeleteFunc(object, func(_ string, value any) bool {
		list, isList := value.([]any)
		fields, isObject := value.(map[string]any)
		return isList && len(list) == 0 || isObject && len(fields) == 0
	})
}

func versionName(v any) string {
	version, _ := v.(map[string]any)
	return fmt.Sprint(version["name"])
}

// firstDifference returns the first place where two values differ, with both.
func firstDifference(a, b any, path string) string {
	switch x := a.(type) {
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok {
			break
		}
		for _, key := range keysOf(x, y) {
			_, inX := x[key]
			_, inY := y[key]
			if inX != inY && x[key] == nil && y[key] == nil {
				return path + "." + key + ": null, and nothing"
			}
			if found := firstDifference(x[key], y[key], path+"."+key); found != "" {
				return found
			}
		}
		return ""
	case []any:
		y, ok := b.([]any)
		if !ok || len(x) != len(y) {
			break
		}
		for i := range x {
			if found := firstDifference(x[i], y[i], fmt.Sprintf("%s[%d]", path, i)); found != "" {
				return found
			}
		}
		return ""
	}
	if fmt.Sprintf("%#v", a) == fmt.Sprintf("%#v", b) {
		return ""
	}
	return fmt.Sprintf("%s: %s, not %s", path, shortText(b), shortText(a))
}

func keysOf(a, b map[string]any) []string {
	var keys []string
	for key := range a {
		keys = append(keys, key)
	}
	for key := range b {
		if _, both := a[key]; !both {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}
