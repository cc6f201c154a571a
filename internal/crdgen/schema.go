package crdgen

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/opgen-dev/opgen/internal/kubetypes"
	"github.com/opgen-dev/opgen/internal/spec"
)

// typeTypeMeta has the descriptions of apiVersion and kind.
const typeTypeMeta = "meta/v1.TypeMeta"

// schemaBuilder makes OpenAPI schemas and collects what is wrong with them.
type schemaBuilder struct {
	problems spec.Problems
	rules    apiextv1.ValidationRules // of all schemas together
	used     map[*spec.NamedType]apiextv1.JSONSchemaProps
	kube     kubetypes.Reader
}

// rootSchema returns the schema of the whole object.
func (b *schemaBuilder) rootSchema(v *spec.Version) *apiextv1.JSONSchemaProps {
	root := apiextv1.JSONSchemaProps{Type: "object"}
	if v.Root != nil {
		root = b.nodeSchema(v.Root, "schema")
	}
	if v.Description != "" {
		root.Description = v.Description
	}
	own := root.Properties // which a type may share
	root.Properties = make(map[string]apiextv1.JSONSchemaProps, len(own)+5)
	maps.Copy(root.Properties, own)
	if v.StandardRoot {
		b.addStandardRoot(&root, v)
	}
	if v.Spec != nil {
		root.Properties["spec"] = b.nodeSchema(v.Spec, "spec")
	}
	if v.Status != nil {
		root.Properties["status"] = b.nodeSchema(v.Status, "status")
	}
	if len(root.Properties) == 0 && (v.Root == nil || v.Root.Properties == nil) {
		root.Properties = nil
	}
	return &root
}

// addStandardRoot adds what every root has unless the file says otherwise, as controller-gen writes
// it.
func (b *schemaBuilder) addStandardRoot(root *apiextv1.JSONSchemaProps, v *spec.Version) {
	meta, _ := b.kube.Type(typeTypeMeta)
	for name, standard := range map[string]apiextv1.JSONSchemaProps{
		"apiVersion": meta.Schema.Properties["apiVersion"],
		"kind":       meta.Schema.Properties["kind"],
		"metadata":   {Type: "object"},
	} {
		if _, said := root.Properties[name]; !said {
			root.Properties[name] = standard
		}
	}
	switch {
	case root.Required == nil && specRequired(v):
		root.Required = []string{"spec"}
	case len(root.Required) == 0:
		root.Required = nil
	}
}

// specRequired reports whether an object must have a spec: when one of the spec's fields is
// required. An object without a spec would escape that requirement otherwise.
func specRequired(v *spec.Version) bool {
	return v.Spec != nil && len(FullSchema(v.Spec).Required) > 0
}

// nodeSchema returns the schema of one node and all below it. The path is for problems.
func (b *schemaBuilder) nodeSchema(s *spec.Schema, path string) apiextv1.JSONSchemaProps {
	switch {
	case s.Type != "":
		return b.typeSchema(s, path)
	case s.Use != nil:
		b.rules = append(b.rules, s.Keywords.XValidations...)
		return withLegalMetadata(Overlay(b.namedTypeSchema(s.Use), s.Keywords))
	}
	b.rules = append(b.rules, s.Keywords.XValidations...)
	out := s.Keywords
	out.Required = slices.Clone(out.Required)
	slices.Sort(out.Required)
	if s.Properties != nil {
		out.Properties = make(map[string]apiextv1.JSONSchemaProps, len(s.Properties))
	}
	for _, p := range s.Properties {
		out.Properties[p.Name] = b.nodeSchema(p.Schema, path+"."+p.Name)
	}
	if s.Items != nil {
		items := b.nodeSchema(s.Items, path+".items")
		out.Items = &apiextv1.JSONSchemaPropsOrArray{Schema: &items}
	}
	if s.AdditionalProperties != nil {
		values := b.nodeSchema(s.AdditionalProperties, path+".additionalProperties")
		out.AdditionalProperties = &apiextv1.JSONSchemaPropsOrBool{Allows: true, Schema: &values}
	}
	if s.AdditionalPropertiesAllowed != nil {
		out.AdditionalProperties = &apiextv1.JSONSchemaPropsOrBool{Allows: *s.AdditionalPropertiesAllowed}
	}
	return out
}

// namedTypeSchema returns the schema of a named type, which is made once.
func (b *schemaBuilder) namedTypeSchema(t *spec.NamedType) apiextv1.JSONSchemaProps {
	known, found := b.used[t]
	if !found {
		known = b.nodeSchema(t.Schema, "types."+t.Name)
		b.used[t] = known
	}
	return known
}

// typeSchema returns the schema of a type by name with the node's own keywords laid over it.
func (b *schemaBuilder) typeSchema(s *spec.Schema, path string) apiextv1.JSONSchemaProps {
	t, problem := b.typeByName(s, path)
	if problem != nil {
		b.problems = append(b.problems, *problem)
		return apiextv1.JSONSchemaProps{XPreserveUnknownFields: new(true)} // whatever it is: go on with the rest
	}
	if s.Type == spec.TypeDuration {
		b.checkDurationDefault(s, path)
	}
	out := withLegalMetadata(Overlay(t.Schema, s.Keywords))
	b.noteRules(&out)
	return out
}

// withLegalMetadata returns a schema of a type as it may be where the object is an embedded
// resource.
func withLegalMetadata(s apiextv1.JSONSchemaProps) apiextv1.JSONSchemaProps {
	if !s.XEmbeddedResource {
		return s
	}
	return kubetypes.WithLegalMetadata(s)
}

// noteRules notes the rules of a schema and of all below it.
func (b *schemaBuilder) noteRules(s *apiextv1.JSONSchemaProps) {
	b.rules = append(b.rules, s.XValidations...)
	for _, property := range s.Properties {
		b.noteRules(&property)
	}
	if s.Items != nil {
		b.noteRules(s.Items.Schema)
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
		b.noteRules(s.AdditionalProperties.Schema)
	}
}

// checkDurationDefault checks what the API server would store, and then no operator could read.
func (b *schemaBuilder) checkDurationDefault(s *spec.Schema, path string) {
	var text string
	if s.Keywords.Default == nil || json.Unmarshal(s.Keywords.Default.Raw, &text) != nil {
		return
	}
	if _, err := time.ParseDuration(text); err != nil {
		b.problems = append(b.problems, spec.Problem{
			Pos: keywordPosition(s, "default"), Path: path + ".default",
			Message: fmt.Sprintf("%q is not a duration", text), Hint: "such as 30s or 1h30m",
		})
	}
}

// keywordPosition returns the position of a keyword, or of the node when the file does not set it.
func keywordPosition(s *spec.Schema, keyword string) spec.Pos {
	if pos, found := s.At[keyword]; found {
		return pos
	}
	return s.Pos
}
