package spec

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/opgen-dev/opgen/internal/jsonschema"
	"github.com/opgen-dev/opgen/internal/nearest"
)

// namedTypeScope has the named types that the schemas of a file can use.
type namedTypeScope struct {
	named map[string]*namedTypeNode
	chain []string // the types that are being decoded, each used by the one before
}

// namedTypeNode is a named type. Its schema is decoded at the first use, which may be above its
// declaration.
type namedTypeNode struct {
	*NamedType
	value    *yaml.Node // nil: decoded
	decoding bool
}

// collectNamedTypes returns the names of the types of a document and of shared types, before schemas are
// decoded.
func (s *source) collectNamedTypes(root *yaml.Node, shared []*NamedType) namedTypeScope {
	scope := namedTypeScope{named: map[string]*namedTypeNode{}}
	for _, t := range shared {
		scope.named[t.Name] = &namedTypeNode{NamedType: t}
	}
	_, types := lookupKey(root, "types")
	if types == nil || types.Kind != yaml.MappingNode {
		return scope
	}
	for i := 0; i+1 < len(types.Content); i += 2 {
		key := types.Content[i]
		if _, taken := scope.named[key.Value]; !taken && kindName().MatchString(key.Value) {
			scope.named[key.Value] = &namedTypeNode{NamedType: &NamedType{Pos: s.positionOf(key), Name: key.Value}, value: types.Content[i+1]}
		}
	}
	return scope
}

// namedTypes accepts the types of a file.
func namedTypes(into *[]*NamedType) value {
	return value{
		decode: func(d *decoder, n *yaml.Node, path string) {
			d.eachEntry(n, path, func(key, _ *yaml.Node, path string) {
				switch t := d.types.named[key.Value]; {
				case !kindName().MatchString(key.Value):
					d.fail(key, path, quoteShort(key.Value)+" is not the name of a type",
						"use letters and digits, starting with a capital, at most 63 characters, such as "+nearestKind(key.Value))
				case t.Pos != d.src.positionOf(key):
					d.fail(key, path, "is named at "+t.Pos.String()+" too", "choose another name, or use that one")
				default:
					d.decodeNamedType(t)
					d.describeByComment(t.Schema, key)
					*into = append(*into, t.NamedType)
				}
			})
		},
		schema: func(*Language) *jsonschema.Schema { return jsonschema.Ref("types") },
	}
}

// decodeNamedType decodes the schema of a type, unless it is decoded already.
func (d *decoder) decodeNamedType(t *namedTypeNode) {
	if t.value == nil {
		return
	}
	value, path := t.value, "types."+t.Name
	t.value, t.decoding = nil, true
	d.types.chain = append(d.types.chain, t.Name)
	var m fieldMarks
	t.Schema, m = d.decodeField(value, path)
	d.refuseRequired(m, path)
	if t.GoName = m.goName; m.goName != "" && !kindName().MatchString(m.goName) {
		d.failAt(m.goNameAt, path, quoteShort(m.goName)+" is not an exported Go name", "such as "+t.Name)
	}
	t.decoding, d.types.chain = false, d.types.chain[:len(d.types.chain)-1]
}

// useType makes a schema use a named type. It returns false after adding a problem.
func (d *decoder) useType(s *Schema, name string, pos Pos, path string) bool {
	t := d.types.named[name]
	if t == nil {
		d.failAt(pos, path, quoteShort(name)+" is not a type", d.types.suggestType(name))
		return false
	}
	if t.decoding {
		from := slices.Index(d.types.chain, name)
		d.failAt(pos, path, "the type "+name+" would contain itself: "+strings.Join(d.types.chain[from:], " → ")+" → "+name,
			"CRDs have no recursion: write the levels out, or end it with the type any")
		return false
	}
	d.decodeNamedType(t)
	s.Use = t.NamedType
	return true
}

// suggestType returns a hint for the name of a type that does not exist.
func (scope *namedTypeScope) suggestType(name string) string {
	var known []string
	for other := range scope.named {
		known = append(known, other)
	}
	slices.Sort(known)
	if best := nearest.Name(name, append(shorthandTypes(), known...)); best != "" {
		return `did you mean "` + best + `"?`
	}
	return "name it under types, or write a Kubernetes type with its package: core/v1." + shortenText(name)
}
