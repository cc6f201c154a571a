package reference

import (
	"fmt"
	"strings"

	"github.com/opgen-dev/opgen/internal/jsonschema"
	"github.com/opgen-dev/opgen/internal/lazyregexp"
	"github.com/opgen-dev/opgen/internal/spec"
)

// Kinds returns the kinds of spec files that KindSchema accepts: project, api, controller and
// types.
func Kinds() []string {
	var kinds []string
	for _, d := range spec.Describe().Documents {
		kinds = append(kinds, strings.ToLower(d.Name))
	}
	return kinds
}

// JSONSchema returns the JSON Schema for all spec files. It validates a file by the schema of its
// kind.
func JSONSchema() ([]byte, error) {
	language := spec.Describe()
	s := &jsonschema.Schema{
		Schema: jsonschema.Draft, Title: "Spec file of opgen", Type: "object",
		Properties: map[string]*jsonschema.Schema{}, Required: []string{"apiVersion", "kind"}, Definitions: allDefinitions(language),
	}
	var kinds []string
	for _, d := range language.Documents {
		kinds = append(kinds, d.Name)
		s.Definitions[d.Name] = documentSchema(language, d)
		s.AllOf = append(s.AllOf, &jsonschema.Schema{
			If: jsonschema.WithKey("kind", &jsonschema.Schema{Const: d.Name}), Then: jsonschema.Ref(d.Name),
		})
	}
	s.Properties["apiVersion"] = (&jsonschema.Schema{Const: spec.FormatVersion}).Described("the version of the spec language")
	s.Properties["kind"] = jsonschema.Words(kinds...).Described("what the file describes")
	return s.Marshal()
}

// KindSchema returns the JSON Schema of one kind of spec file. It returns an error for an unknown
// kind.
func KindSchema(kind string) ([]byte, error) {
	language := spec.Describe()
	for _, d := range language.Documents {
		if strings.ToLower(d.Name) != kind {
			continue
		}
		s := documentSchema(language, d)
		s.Schema, s.Definitions = jsonschema.Draft, map[string]*jsonschema.Schema{}
		if err := addReferred(s, s.Definitions, allDefinitions(language)); err != nil {
			return nil, err
		}
		return s.Marshal()
	}
	return nil, fmt.Errorf("%q is no kind of spec file", kind)
}

// reference matches a reference to a definition in a schema as JSON.
var reference = lazyregexp.New(`"#/definitions/([^"]+)"`)

// addReferred adds to definitions those that a schema refers to, directly or through others.
func addReferred(s *jsonschema.Schema, definitions, all map[string]*jsonschema.Schema) error {
	text, err := s.Marshal()
	if err != nil {
		return err
	}
	for _, match := range reference().FindAllSubmatch(text, -1) {
		name := string(match[1])
		if _, isAdded := definitions[name]; isAdded {
			continue
		}
		definitions[name] = all[name]
		if err := addReferred(all[name], definitions, all); err != nil {
			return err
		}
	}
	return nil
}

func documentSchema(language *spec.Language, d spec.Mapping) *jsonschema.Schema {
	s := d.Schema(language)
	s.Title = d.Name + " of opgen"
	return s
}

// allDefinitions returns the schemas that others refer to: those of the mappings in files, of
// schemas, and of each keyword.
func allDefinitions(language *spec.Language) map[string]*jsonschema.Schema {
	all := map[string]*jsonschema.Schema{
		"schema":     schemaOrShorthand(anywhere),
		"field":      fieldSchema(),
		"types":      namedTypes(),
		"validation": validationSchema(),
	}
	for _, k := range spec.Keywords() {
		all[k.Name] = keywordSchema(language, k, "field", "schema").Described(k.Doc)
	}
	for name, mapping := range language.Mappings {
		if !isDocument(language, name) && name != "rule" && name != "externalDocs" {
			all[name] = language.Schemas[mapping.Name]
		}
	}
	return all
}

func isDocument(language *spec.Language, name string) bool {
	for _, d := range language.Documents {
		if d.Name == name {
			return true
		}
	}
	return false
}
