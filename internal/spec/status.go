package spec

import (
	"slices"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/opgen-dev/opgen/internal/jsonschema"
)

// addStandardStatus adds the fields that the runtime writes to a status. If the file has them
// already, their types must be those that the runtime writes.
func (d *decoder) addStandardStatus(s *Schema) {
	const instead = "set standardStatus: false to keep it as it is"
	if s.Type != "" || s.Use != nil {
		d.failAt(s.Pos, "status", "the standard status cannot be added to "+s.typeText(), "set standardStatus: false, or write the status as an object")
		return
	}
	if s.Keywords.Type != "" && s.Keywords.Type != "object" {
		d.failAt(s.Pos, "status", "is not an object", "")
		return
	}
	s.Keywords.Type = "object"
	if defined := s.Property("observedGeneration"); defined == nil {
		s.Properties = append(s.Properties, Property{Pos: s.Pos, Name: "observedGeneration", Schema: generationSchema(s.Pos)})
	} else if k := defined.Declared().Keywords; k.Type != "integer" || k.Format != "int64" {
		d.failAt(defined.Pos, "status.observedGeneration", "is not an int64, and the operator writes the generation here", instead)
	}
	if defined := s.Property("conditions"); defined == nil {
		s.Properties = append(s.Properties, Property{Pos: s.Pos, Name: "conditions", Schema: conditionsSchema(s.Pos)})
	} else if defined.Items == nil || defined.Items.Type != TypeCondition {
		d.failAt(defined.Pos, "status.conditions", "is not a list of "+TypeCondition+", and the operator writes its conditions here",
			`write "[]`+TypeCondition+` | listType=map listMapKey=type", or `+instead)
	}
	nameFields(s.Properties)
}

// extensibleStatus returns the JSON Schema, for editors, of a status to which the standard fields
// can be added.
func extensibleStatus() *jsonschema.Schema {
	text := func(pattern, expected string) *jsonschema.Schema {
		return &jsonschema.Schema{Pattern: pattern, PatternReason: "expected " + expected + ", or standardStatus: false"}
	}
	return &jsonschema.Schema{
		If:   &jsonschema.Schema{Type: "string"},
		Then: text(`^\s*(object|any|map\[)`, "an object"),
		Else: &jsonschema.Schema{Properties: map[string]*jsonschema.Schema{
			"type": text(`^(object|map\[.*)?$`, "an object"),
			"properties": {Properties: map[string]*jsonschema.Schema{
				"observedGeneration": text(`^\s*(int64|[A-Z][A-Za-z0-9]*)\s*(\||$)`, "int64"),
				"conditions":         text(`^\s*\[\]meta/v1\.Condition\s*(\||$)`, "[]"+TypeCondition),
			}},
		}},
	}
}

func generationSchema(pos Pos) *Schema {
	return &Schema{Pos: pos, At: map[string]Pos{}, Keywords: apiextv1.JSONSchemaProps{
		Type:        "integer",
		Format:      "int64",
		Description: "observedGeneration is the metadata.generation that this status was made from.",
	}}
}

func conditionsSchema(pos Pos) *Schema {
	return &Schema{
		Pos: pos, At: map[string]Pos{},
		Keywords: apiextv1.JSONSchemaProps{
			Type:         "array",
			Description:  "conditions are the latest observations of the object's state, one of each type.",
			XListType:    new("map"),
			XListMapKeys: []string{"type"},
		},
		Items: &Schema{Pos: pos, At: map[string]Pos{}, Type: TypeCondition},
	}
}

// Property returns the schema of a field, or nil.
func (s *Schema) Property(name string) *Schema {
	if i := slices.IndexFunc(s.Properties, func(p Property) bool { return p.Name == name }); i >= 0 {
		return s.Properties[i].Schema
	}
	return nil
}
