package crddiff

import (
	"maps"
	"slices"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

type props = apiextv1.JSONSchemaProps

// compareSchemas compares two schemas and all that is below them. Nil is a schema that says nothing.
func (c *comparer) compareSchemas(at place, ours, theirs *props) {
	if ours == nil {
		ours = &props{}
	}
	if theirs == nil {
		theirs = &props{}
	}
	c.compareDescriptions(at, ours.Description, theirs.Description)
	c.compareKeywords(at, ours, theirs)
	c.compareRules(at, ours, theirs)
	c.compareFields(at, ours, theirs)
	a, b := elementOf(ours), elementOf(theirs)
	if a != nil && b != nil {
		suffix := "[]"
		if ours.Items == nil {
			suffix = ".*"
		}
		c.compareSchemas(at.element(suffix), a, b)
	}
}

// elementOf returns the schema of the items of a list, or of the values of a map, nil if there is
// none.
func elementOf(s *props) *props {
	switch {
	case s.Items != nil:
		return s.Items.Schema
	case s.AdditionalProperties != nil:
		return s.AdditionalProperties.Schema
	}
	return nil
}

// compareFields compares the fields of two objects.
func (c *comparer) compareFields(at place, ours, theirs *props) {
	for _, name := range unionOf(ours.Properties, theirs.Properties) {
		below := at.field(name)
		a, isOurs := ours.Properties[name]
		b, isTheirs := theirs.Properties[name]
		switch {
		case !isOurs:
			d := below.difference("", "", "field")
			d.Field, d.Effect = true, effectOfLostField(ours)
			c.addField(at, d)
		case !isTheirs:
			d := below.difference("", "field", "")
			d.Field = true
			if slices.Contains(ours.Required, name) && a.Default == nil {
				d.Effect = Refused
			}
			c.addField(at, d)
		case name == "metadata" && !at.isRoot && namesOtherMetadata(&a, &b):
			c.add(c.metadataDifference(below, &a, &b))
		default:
			c.compareRequired(below, name, ours, theirs)
			c.compareSchemas(below, &a, &b)
		}
	}
}

// addField adds a difference about a field of an object. It belongs to the type of the object.
func (c *comparer) addField(object place, d Difference) {
	if foreign := object.foreign(); foreign != "" {
		d.Cause, d.Foreign = ForeignTypes, foreign
	}
	c.add(d)
}

// compareRequired compares whether a field that both objects have must be there.
func (c *comparer) compareRequired(at place, name string, ours, theirs *props) {
	a, b := slices.Contains(ours.Required, name), slices.Contains(theirs.Required, name)
	if a == b {
		return
	}
	d := at.difference("", optionality(a), optionality(b))
	if field := ours.Properties[name]; a && field.Default == nil {
		d.Effect = Refused
	}
	c.add(d)
}

func optionality(required bool) string {
	if required {
		return "required"
	}
	return "optional"
}

// The fields of metadata that schemas of embedded objects name, depending on embeddedMetadata.
var (
	labelFields = []string{"annotations", "labels", "name"}
	allFields   = []string{"annotations", "finalizers", "labels", "name", "namespace"}
)

// namesOtherMetadata reports whether the schemas of embedded metadata name other fields of it.
func namesOtherMetadata(a, b *props) bool {
	return a.Type == "object" && b.Type == "object" && isMetadata(a) && isMetadata(b) && len(a.Properties) != len(b.Properties)
}

func isMetadata(s *props) bool {
	names := fieldNames(s)
	return len(names) == 0 && s.XPreserveUnknownFields == nil && s.AdditionalProperties == nil ||
		slices.Equal(names, labelFields) || slices.Equal(names, allFields)
}

func fieldNames(s *props) []string { return slices.Sorted(maps.Keys(s.Properties)) }

// metadataDifference returns the difference between two schemas of embedded metadata.
func (c *comparer) metadataDifference(at place, a, b *props) Difference {
	d := at.difference("", metadataText(a), metadataText(b))
	d.Cause, d.Foreign, d.Pos = Metadata, "", c.position("embeddedMetadata")
	if len(a.Properties) < len(b.Properties) {
		d.Effect = Lost
	}
	return d
}

// metadataText returns the value of embeddedMetadata that makes such a schema.
func metadataText(s *props) string {
	switch len(s.Properties) {
	case 0:
		return "false"
	case len(labelFields):
		return "true"
	}
	return "All"
}
