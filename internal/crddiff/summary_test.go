package crddiff_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/opgen-dev/opgen/internal/crddiff"
)

func TestSummarize(t *testing.T) {
	made := makeEcho(t)
	everywhere := func(change func(*apiextv1.JSONSchemaProps)) func(*apiextv1.CustomResourceDefinition) {
		return func(crd *apiextv1.CustomResourceDefinition) {
			for _, v := range crd.Spec.Versions {
				eachSchema(v.Schema.OpenAPIV3Schema, change)
			}
		}
	}
	for _, c := range []struct {
		name     string
		change   func(*apiextv1.CustomResourceDefinition)
		expected string
	}{
		{"descriptions absent", everywhere(func(s *apiextv1.JSONSchemaProps) { s.Description = "" }), "description only here v1,v2"},
		{"descriptions cut at sentences of any length", everywhere(func(s *apiextv1.JSONSchemaProps) { s.Description, _, _ = strings.Cut(s.Description, ". ") }), "description cut there v1\ndescription differs v1"},
		{"a description that is shorter", func(crd *apiextv1.CustomResourceDefinition) {
			at(crd.Spec.Versions[0].Schema.OpenAPIV3Schema, "spec.replicas", func(s *apiextv1.JSONSchemaProps) { s.Description = "How many" })
		}, "description differs v1"},
		{"descriptions cut to a length", everywhere(func(s *apiextv1.JSONSchemaProps) { s.Description = s.Description[:min(40, len(s.Description))] }), "description cut there v1,v2"},
		{"embedded metadata", func(crd *apiextv1.CustomResourceDefinition) {
			at(crd.Spec.Versions[0].Schema.OpenAPIV3Schema, "spec.template.metadata", func(s *apiextv1.JSONSchemaProps) { s.Properties = nil })
		}, "embeddedMetadata differs v1"},
		{"older types", func(crd *apiextv1.CustomResourceDefinition) {
			at(crd.Spec.Versions[0].Schema.OpenAPIV3Schema, "spec.template.spec", func(s *apiextv1.JSONSchemaProps) {
				delete(s.Properties, "hostname")
				delete(s.Properties, "hostPID")
			})
		}, "types only here v1 k8s.io/api at v1.spec.template.spec, 2"},
		{"one older type", func(crd *apiextv1.CustomResourceDefinition) {
			at(crd.Spec.Versions[0].Schema.OpenAPIV3Schema, "spec.template.spec", func(s *apiextv1.JSONSchemaProps) { delete(s.Properties, "hostname") })
		}, "types only here v1 k8s.io/api at v1.spec.template.spec, 1"},
		{"newer types", func(crd *apiextv1.CustomResourceDefinition) {
			at(crd.Spec.Versions[0].Schema.OpenAPIV3Schema, "spec.template", func(s *apiextv1.JSONSchemaProps) {
				s.Properties["x"], s.Properties["y"] = apiextv1.JSONSchemaProps{}, apiextv1.JSONSchemaProps{}
			})
		}, "types only there v1 k8s.io/api at v1.spec.template, 2 objects lose this field"},
		{"own", func(crd *apiextv1.CustomResourceDefinition) { crd.Spec.Names.ShortNames = nil }, "names.shortNames"},
	} {
		t.Run(c.name, func(t *testing.T) {
			theirs := made.CRD.DeepCopy()
			c.change(theirs)
			pair := crddiff.Compare([]crddiff.Made{made}, []crddiff.Other{{CRD: theirs}}).Pairs[0]
			if diff := cmp.Diff(c.expected, summaryText(crddiff.Summarize(pair, func(string) string { return "k8s.io/api" }))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func summaryText(s crddiff.Summary) string {
	var lines []string
	for _, g := range s.Groups {
		line := fmt.Sprintf("%s %s", g.Cause, g.Change)
		versions := map[string]bool{}
		for _, d := range g.Differences {
			version, _, _ := strings.Cut(d.Path, ".")
			versions[version] = true
		}
		line += " v1"
		if versions["v2"] {
			line += ",v2"
		}
		if g.Cause == crddiff.ForeignTypes {
			line += fmt.Sprintf(" %s at %s, %d", g.Module, g.Path, len(g.Differences))
		}
		if g.Effect == crddiff.Lost {
			line += " objects " + string(g.Effect)
		}
		lines = append(lines, line)
	}
	for _, d := range s.Own {
		lines = append(lines, d.Path)
	}
	return strings.Join(lines, "\n")
}

// eachSchema changes a schema and all below it.
func eachSchema(s *apiextv1.JSONSchemaProps, change func(*apiextv1.JSONSchemaProps)) {
	change(s)
	for name, below := range s.Properties {
		eachSchema(&below, change)
		s.Properties[name] = below
	}
	if s.Items != nil {
		eachSchema(s.Items.Schema, change)
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
		eachSchema(s.AdditionalProperties.Schema, change)
	}
}
