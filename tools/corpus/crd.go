package main

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/opgen-dev/opgen/internal/crdgen"
	"github.com/opgen-dev/opgen/internal/importer"
	"github.com/opgen-dev/opgen/internal/spec"
)

// addFile measures the CRDs of a file.
func (t *table) addFile(m *module, file string, data []byte) {
	specs, problems := importer.Import(file, data)
	if len(problems) > 0 {
		t.addFailure("%v", problems)
		t.crds = append(t.crds, result{name: file})
		return
	}
	sources, err := crdDocuments(data)
	if err != nil || len(sources) != len(specs) {
		t.addFailure("%s: %d CRDs, %d specs: %v", file, len(sources), len(specs), err)
		return
	}
	for i, imported := range specs {
		r := result{name: m.claimName(imported.Name)}
		t.addCRD(&r, m, imported, sources[i])
		t.crds = append(t.crds, r)
	}
}

// addCRD measures one CRD.
func (t *table) addCRD(r *result, m *module, imported importer.Spec, source map[string]any) {
	made, problems := crdgen.CRD(imported.API, spec.DefaultMinKubernetes)
	if len(problems) > 0 {
		t.addFailure("%s: %v", r.name, problems)
		return
	}
	text, err := crdgen.MarshalCRDOf(imported.API, made)
	if err != nil {
		t.addFailure("%s: %v", r.name, err)
		return
	}
	var again map[string]any
	if err := yaml.Unmarshal(text, &again); err != nil {
		t.addFailure("%s: %v", r.name, err)
		return
	}
	leaveOutMarks(source)
	if r.equal = isSameCRD(source, again); !r.equal {
		t.addFailure("%s: made again, it differs at %s", r.name, firstDifference(normalForm(source, ""), normalForm(again, ""), ""))
	}
	r.leaves, r.short = countLeaves(imported.Text)
	if places := verbatimPlaces(imported.Text); len(places) > 0 {
		r.verbatim = true
		t.addFailure("%s: %s is no keyword of OpenAPI", r.name, places[0])
	}
	for i, v := range made.Spec.Versions {
		r.objects += distinctObjects(&imported.API.Versions[i], v)
	}
	r.subject.crd, r.subject.api = made, imported.API
	t.addPackages(r, m, imported.API)
}

// usualFields are the fields of every root.
var usualFields = []string{"apiVersion", "kind", "metadata"}

// crdDocuments returns the CRDs of a file.
func crdDocuments(data []byte) ([]map[string]any, error) {
	var all []map[string]any
	for i, text := range strings.Split("\n"+string(data), "\n---") {
		var object map[string]any
		if err := yaml.Unmarshal([]byte(text), &object); err != nil {
			return nil, fmt.Errorf("document %d: %w", i+1, err)
		}
		if object["kind"] == "CustomResourceDefinition" {
			all = append(all, object)
		}
	}
	return all, nil
}

// isSameCRD reports whether two CRDs say the same.
func isSameCRD(a, b map[string]any) bool {
	return reflect.DeepEqual(normalForm(a, ""), normalForm(b, ""))
}

// normalForm returns a CRD without what means nothing: the order of required, false and null where
// a key could be absent, a column's priority of 0, and what the API server writes.
func normalForm(v any, key string) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for name, value := range v {
			data := name == "default" || name == "example" || key == "default" || key == "example"
			switch {
			case !data && (value == false || value == nil):
			case name == "creationTimestamp" && key == "metadata", name == "status" && key == "":
			case name == "priority" && value == float64(0) && key == "additionalPrinterColumns":
			default:
				if data {
					out[name] = value
				} else {
					out[name] = normalForm(value, name)
				}
			}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = normalForm(item, key)
		}
		if key == "required" {
			slices.SortFunc(out, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
		}
		return out
	}
	return v
}
