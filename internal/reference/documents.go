package reference

import (
	"fmt"
	"strings"
)

// document is a kind of spec file.
type document struct {
	kind  string
	title string
	keys  []key
}

func documents() []document {
	return []document{
		{kind: "Project", title: "Project of opgen", keys: projectKeys()},
		{kind: "API", title: "API of opgen", keys: apiKeys()},
		{kind: "Controller", title: "Controller of opgen", keys: controllerKeys()},
		{kind: "Types", title: "Types of opgen", keys: typesKeys()},
	}
}

// Kinds are the kinds of spec files in lower case, as KindSchema takes them: project, api, controller and types.
func Kinds() []string {
	var kinds []string
	for _, d := range documents() {
		kinds = append(kinds, strings.ToLower(d.kind))
	}
	return kinds
}

// JSONSchema is the JSON Schema of every spec file: a file is held against the schema of its kind.
func JSONSchema() ([]byte, error) {
	s := &schema{
		Schema: draft, Title: "Spec file of opgen", Type: "object",
		Properties: map[string]*schema{}, Required: []string{"apiVersion", "kind"}, Definitions: definitions(),
	}
	var kinds []string
	for _, d := range documents() {
		kinds = append(kinds, d.kind)
		s.Definitions[d.kind] = d.schema()
		s.AllOf = append(s.AllOf, &schema{If: when("kind", &schema{Const: d.kind}), Then: ref(d.kind)})
	}
	s.Properties["apiVersion"] = (&schema{Const: formatVersion}).described("the version of the spec language")
	s.Properties["kind"] = word(kinds...).described("what the file describes")
	return s.marshal()
}

// KindSchema is the JSON Schema of one kind of spec file, one of Kinds; another kind is an error.
func KindSchema(kind string) ([]byte, error) {
	for _, d := range documents() {
		if strings.ToLower(d.kind) != kind {
			continue
		}
		s := d.schema()
		s.Schema = draft
		if d.kind != "Project" {
			s.Definitions = definitions()
		}
		return s.marshal()
	}
	return nil, fmt.Errorf("%q is no kind of spec file", kind)
}

func (d document) schema() *schema {
	s := object(d.keys)
	s.Title = d.title
	return s
}

// definitions are the schemas that others refer to: those of mappings and lists in the files of APIs and controllers, and each keyword.
func definitions() map[string]*schema {
	all := map[string]*schema{
		"names":              kindNames(),
		"version":            version(),
		"column":             object(columnKeys()),
		"scale":              object(scaleKeys()),
		"metadata":           object(metadataKeys()),
		"conversion":         object(conversionKeys()),
		"webhook":            object(webhookKeys()),
		"clientConfig":       object(clientConfigKeys()),
		"service":            object(serviceKeys()),
		"subresources":       object(subresourceKeys()),
		"operator":           object(operatorKeys()),
		"child":              child(),
		"related":            related(),
		"labelSelector":      object(labelSelectorKeys()),
		"labelRequirement":   labelRequirement(),
		"policyRule":         policyRule(),
		"parent":             object(parentKeys()),
		"annotationSelector": annotationSelector(),
		"types":              namedTypes(),
		"schema":             mapping(shorthand(anywhere)),
		"field":              field(),
		"validation":         validation(),
	}
	for _, k := range append(keywords(), goName(), goConstants()) {
		all[k.name] = k.value.described(k.means)
	}
	for _, k := range holders(ref("field"), ref("schema")) {
		all[k.name] = k.value.described(k.means)
	}
	return all
}
