package spec

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/opgen-dev/opgen/internal/jsonschema"
)

// versionList accepts the list of versions. operated reports whether the kind has an operator.
func versionList(into *[]Version, operated func() bool) value {
	v := listOf(into, func(v *Version) Mapping { return versionMapping(v, operated) })
	ofSchema := v.schema
	v.schema = func(l *Language) *jsonschema.Schema {
		stored := jsonschema.WithKey("storage", &jsonschema.Schema{Const: true})
		notDenied := &jsonschema.Schema{Properties: map[string]*jsonschema.Schema{"storage": {Const: true}}}
		s := ofSchema(l)
		s.MinItems = 1
		s.AllOf = []*jsonschema.Schema{{
			If:   &jsonschema.Schema{MinItems: 2},
			Then: &jsonschema.Schema{Contains: stored},
			Else: &jsonschema.Schema{Contains: notDenied},
		}}
		return s
	}
	return v
}

// versionMapping returns the keys of a version. A kind with an operator always has a status, since
// the operator writes it.
func versionMapping(v *Version, operated func() bool) Mapping {
	return Mapping{Name: "version", pos: &v.Pos, Keys: versionKeys(v), rules: []rule{{
		when: []condition{isTrueAt("goTypes")},
		excludes: []string{
			"spec", "status", "schema", "description", "standardStatus", "standardRoot", "columns", "scale", "subresources",
			"selectableFields",
		},
		hint: func(key, _ string) string {
			return "keep one of the two: goTypes takes it from the Go types, or " + key + " says it here"
		},
	}}, refine: func(s *jsonschema.Schema) {
		s.AllOf = append(s.AllOf, &jsonschema.Schema{
			If:   &jsonschema.Schema{Not: jsonschema.WithKey("standardStatus", &jsonschema.Schema{Const: false})},
			Then: &jsonschema.Schema{Properties: map[string]*jsonschema.Schema{"status": extensibleStatus()}},
		})
	}, finish: func(d *decoder, n *yaml.Node, path string) {
		if !v.GoTypes {
			d.completeVersion(v, n, path, operated())
		}
	}}
}

func versionKeys(v *Version) []Key {
	return []Key{
		{Name: "name", Required: true, value: formedText(&v.Name, &versionNameForm), Doc: "lower-case letters and digits: it names a Go package"},
		{Name: "goTypes", value: trueOrFalseBy(false, &v.GoTypes),
			Doc: "the Go types of the version are yours, with kubebuilder markers: its schema, columns, scale, subresources and selectable fields come from them, and none of these keys stands here"},
		{Name: "served", value: trueOrFalseBy(true, &v.Served), Doc: "the API server serves it"},
		{Name: "deprecated", value: trueOrFalseBy(false, &v.Deprecated), Doc: "`kubectl` warns users of the version"},
		{Name: "deprecationWarning", Absent: "the API server's own", value: optionalValue(&v.Warning, proseText), Doc: "the text of that warning"},
		{Name: "storage", Absent: "`true` when alone", value: trueOrFalse(&v.Storage), Doc: "objects are stored in it; exactly one version has it"},
		{Name: "description", Absent: "none", value: proseText(&v.Description), Doc: "what the kind is, which `kubectl explain` shows"},
		{Name: "schema", Absent: "none", value: anySchema(func(d *decoder, n *yaml.Node) { v.Root = d.decodeRoot(n) }),
			Doc: "what else the object has: its fields beside `spec` and `status`, rules for the whole object, `required` (else `spec`, when one of its own fields is required)"},
		{Name: "standardRoot", value: trueOrFalseBy(true, &v.StandardRoot), Doc: "`apiVersion`, `kind` and `metadata` are added to the object unless `schema` has them"},
		{Name: "spec", Absent: "none", value: anySchema(func(d *decoder, n *yaml.Node) { v.Spec = d.decodeObject(n, "spec") }),
			Doc: "the schema of the desired state; an object, unless it says otherwise"},
		{Name: "status", Absent: "none", value: anySchema(func(d *decoder, n *yaml.Node) { v.Status = d.decodeObject(n, "status") }),
			Doc: "the schema of the observed state; an object, unless it says otherwise. A kind with an operator has the standard status even without this key"},
		{Name: "standardStatus", value: trueOrFalseBy(true, &v.StandardStatus),
			Doc: "`conditions` (a list map of `meta/v1.Condition` with the key `type`) and `observedGeneration` (int64) are added to the status unless it defines them"},
		{Name: "subresources", Absent: "status, when there is one", value: subresourceChoice(&v.Subresources),
			Doc: "which subresources there are beside scale; `{}` is an empty list of them in the CRD"},
		{Name: "columns", Absent: "none", value: listOf(&v.Columns, columnMapping), Doc: "list of the columns of `kubectl get`"},
		{Name: "scale", Absent: "none", value: nestedMapping(&v.Scale, scaleMapping), Doc: "the scale subresource"},
		{Name: "selectableFields", Absent: "none", value: selectableFields(&v.SelectableFields), Doc: "list of paths that field selectors may use"},
	}
}

// subresourceChoice accepts the subresources of a version. An empty mapping is not the same as an
// absent one: it is in the CRD.
func subresourceChoice(into *Subresources) value {
	v := partMapping(func() Mapping { return subresourcesMapping(into) })
	decode := v.decode
	v.decode = func(d *decoder, n *yaml.Node, path string) {
		decode(d, n, path)
		into.Listed = !hasKey("status").holds(n)
	}
	return v
}

func selectableFields(into *[]string) value {
	v := textList(into)
	decode := v.decode
	v.decode = func(d *decoder, n *yaml.Node, path string) {
		*into = []string{}
		decode(d, n, path)
	}
	v.schema = func(*Language) *jsonschema.Schema { return jsonschema.List(selectableFieldForm.schema()) }
	return v
}

// completeVersion sets the defaults of a version, and checks its paths.
func (d *decoder) completeVersion(v *Version, n *yaml.Node, path string, operated bool) {
	if v.Status == nil && v.StandardStatus && operated {
		v.Status = &Schema{Pos: v.Pos, At: map[string]Pos{}}
	}
	v.StandardStatus = v.StandardStatus && v.Status != nil
	if v.StandardStatus {
		d.addStandardStatus(v.Status)
	}
	if !hasKey("subresources").holds(n) {
		v.Subresources.Status = v.Status != nil
	}
	d.checkPaths(n, path, v)
}

// decodeRoot decodes the schema of the whole object, without spec and status.
func (d *decoder) decodeRoot(n *yaml.Node) *Schema {
	s := d.decodeSchema(n, "schema")
	if _, set := s.At["type"]; !set {
		s.Keywords.Type = "object"
	}
	for _, p := range s.Properties {
		if slices.Contains([]string{"spec", "status"}, p.Name) {
			d.failAt(p.Pos, "schema."+p.Name, "is a key of the version", "write "+p.Name+" beside schema")
		}
	}
	return s
}

// decodeObject decodes the schema of spec or status, which is of type object by default.
func (d *decoder) decodeObject(n *yaml.Node, path string) *Schema {
	s := d.decodeSchema(n, path)
	k := &s.Keywords
	if s.Type == "" && s.Use == nil && k.Type == "" && !k.XIntOrString && k.XPreserveUnknownFields == nil {
		k.Type = "object"
	}
	return s
}
