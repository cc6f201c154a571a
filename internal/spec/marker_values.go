package spec

import (
	"bytes"
	"encoding/json"
	"slices"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// applyEnum decodes the list of an enum. Each value must be of the type of the schema.
func (r *markerReader) applyEnum(list argument, path string) {
	items, ok := r.splitList(list)
	if !ok {
		r.d.failAt(list.pos, path, "expected a list, got "+quoteShort(list.raw), "such as enum=[Plain, Json]")
		return
	}
	r.schema.Keywords.Enum = []apiextv1.JSON{}
	for i, item := range items {
		if raw, ok := r.valueJSON(r.schema, item, indexPath(path, i)); ok {
			r.schema.At[indexPath("enum", i)] = item.pos
			r.schema.Keywords.Enum = append(r.schema.Keywords.Enum, *raw)
		}
	}
}

// valueJSON returns a value of the type of a schema as JSON. It returns false after adding a
// problem.
func (r *markerReader) valueJSON(s *Schema, value argument, path string) (*apiextv1.JSON, bool) {
	s = s.Declared()
	refuse := func() (*apiextv1.JSON, bool) {
		r.d.failAt(value.pos, path, quoteShort(value.raw)+" is not "+WithArticle(s.Keywords.Type), "")
		return nil, false
	}
	textual := s.Keywords.Type == "string" || s.Type == TypeTime || s.Type == TypeDuration
	switch {
	case textual || value.quoted && s.Keywords.Type == "":
		return &apiextv1.JSON{Raw: quoteJSON(value.text)}, true
	case value.quoted:
		return refuse()
	case s.Keywords.Type == "array":
		return r.listJSON(s, value, path)
	}
	var compact bytes.Buffer
	if json.Compact(&compact, []byte(value.raw)) != nil {
		if s.Type != "" || s.Keywords.Type == "" {
			return &apiextv1.JSON{Raw: quoteJSON(value.text)}, true
		}
		return refuse()
	}
	if !hasType(s.Keywords.Type, compact.String()) {
		return refuse()
	}
	if !r.isExactJSON(value, path) {
		return nil, false
	}
	return &apiextv1.JSON{Raw: compact.Bytes()}, true
}

// isExactJSON reports whether Kubernetes stores all numbers of a value exactly. It adds a problem
// for the first that it rounds.
func (r *markerReader) isExactJSON(value argument, path string) bool {
	raw := []byte(value.raw)
	if !json.Valid(raw) {
		return true // and no JSON
	}
	if changed := firstInexact(raw); changed != "" {
		message, hint := describeInexact(changed)
		r.d.failAt(value.pos, path, message, hint)
		return false
	}
	return true
}

// listJSON returns the default of a list, written as JSON or as [a, b], as JSON.
func (r *markerReader) listJSON(s *Schema, value argument, path string) (*apiextv1.JSON, bool) {
	var compact bytes.Buffer
	if json.Compact(&compact, []byte(value.raw)) == nil && compact.Bytes()[0] == '[' {
		if !r.isExactJSON(value, path) {
			return nil, false
		}
		return &apiextv1.JSON{Raw: compact.Bytes()}, true
	}
	items, ok := r.splitList(value)
	if !ok {
		r.d.failAt(value.pos, path, "expected a list, got "+quoteShort(value.raw), "such as [a, b], or JSON")
		return nil, false
	}
	parts := make([][]byte, 0, len(items))
	for i, item := range items {
		raw, ok := r.valueJSON(s.Items, item, indexPath(path, i))
		if !ok {
			return nil, false
		}
		parts = append(parts, raw.Raw)
	}
	return &apiextv1.JSON{Raw: slices.Concat([]byte("["), bytes.Join(parts, []byte(",")), []byte("]"))}, true
}

// hasType reports whether a JSON value is of an OpenAPI type. Without a type, every value is.
func hasType(openAPIType, raw string) bool {
	switch openAPIType {
	case "integer":
		_, ok := numberJSON(raw)
		return ok && decimal().MatchString(raw)
	case "number":
		_, ok := numberJSON(raw)
		return ok
	case "boolean":
		return raw == "true" || raw == "false"
	case "object":
		return raw[0] == '{'
	}
	return true
}
