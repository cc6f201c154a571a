package packaging

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/opgen-dev/opgen/internal/crdgen"
	"github.com/opgen-dev/opgen/internal/importer"
	"github.com/opgen-dev/opgen/internal/yamltext"
)

// exampleObjects returns an example of each version that the CRDs serve: the samples of the project, and for a version
// without one an object that is made from its schema.
func (o *Operator) exampleObjects() []any {
	objects, shown := []any{}, map[schema.GroupVersionKind]bool{}
	served := o.servedKinds()
	for _, sample := range o.Samples {
		if kind := sample.GroupVersionKind(); slices.ContainsFunc(served, func(s servedKind) bool { return s.kind == kind }) {
			objects, shown[kind] = append(objects, sample.Object), true
		}
	}
	for _, s := range served {
		if !shown[s.kind] {
			objects = append(objects, makeExample(s))
		}
	}
	return objects
}

// servedKind is a version of a CRD that is served.
type servedKind struct {
	kind schema.GroupVersionKind
	crd  *Object
}

// servedKinds returns the versions that the CRDs serve, in their order.
func (o *Operator) servedKinds() (served []servedKind) {
	for _, crd := range ofKind(o.Objects, "CustomResourceDefinition") {
		group, _, _ := unstructured.NestedString(crd.Object, "spec", "group")
		kind, _, _ := unstructured.NestedString(crd.Object, "spec", "names", "kind")
		versions, _, _ := unstructured.NestedSlice(crd.Object, "spec", "versions")
		for _, item := range versions {
			version, _ := item.(map[string]any)
			if name, _ := version["name"].(string); version["served"] == true {
				served = append(served, servedKind{schema.GroupVersionKind{Group: group, Version: name, Kind: kind}, crd})
			}
		}
	}
	return served
}

// makeExample returns an object as the sample of a new API has it, and one without a spec if the CRD is one that opgen
// cannot make, as an author's kustomization may add it.
func makeExample(s servedKind) map[string]any {
	version, kind := s.kind.ToAPIVersionAndKind()
	example := map[string]any{"apiVersion": version, "kind": kind, "metadata": map[string]any{"name": strings.ToLower(kind) + "-sample"}}
	text, err := yamltext.Marshal(s.crd.Object)
	if err != nil {
		return example
	}
	specs, problems := importer.Import(s.crd.GetName(), text)
	if len(problems) > 0 || len(specs) != 1 {
		return example
	}
	sample, err := crdgen.Sample(specs[0].API, s.kind.Version)
	if err != nil || yaml.Unmarshal(sample, &example) != nil {
		return example
	}
	return example
}
