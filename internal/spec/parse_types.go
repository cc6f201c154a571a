package spec

import (
	"bytes"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/opgen-dev/opgen/internal/lazyregexp"
)

// typeName is the form of the name of a type: no word of the shorthand and no Kubernetes type has it.
var typeName = lazyregexp.New(`^[A-Z][A-Za-z0-9]{0,62}$`)

var kindTypes = lazyregexp.New(`(?m)^kind:[ \t]*["']?Types["']?[ \t]*(#.*)?\r?$`)

// IsTypes tells whether a spec file says that it is of kind Types, and not the file of an API.
func IsTypes(data []byte) bool {
	return len(data) <= MaxFileSize && bytes.Contains(data, []byte("Types")) && kindTypes().Match(data)
}

// ParseTypes reads a file of kind Types. The file is a name for positions; nothing is read from disk. The types are
// nil when there are problems, which are in the order of their positions.
func ParseTypes(file string, data []byte) (*SharedTypes, Problems) {
	d, root := document(file, data)
	if root == nil {
		return nil, d.problems
	}
	types := &SharedTypes{File: file}
	d.announce(root, nil)
	known := d.header("Types")
	known["types"] = d.types(&types.Types)
	d.mapping(root, "", known)
	d.need(root, "", "apiVersion", "kind", "types")
	if len(d.problems) > 0 {
		return nil, d.problems.Sorted()
	}
	return types, nil
}

// typeNode is a type whose schema may not be decoded yet.
type typeNode struct {
	*NamedType
	value    *yaml.Node // nil: decoded
	decoding bool
}

// announce notes the names of a document's types and of those that it shares, before the first is used.
func (d *decoder) announce(root *yaml.Node, shared []*NamedType) {
	d.named = map[string]*typeNode{}
	for _, t := range shared {
		d.named[t.Name] = &typeNode{NamedType: t}
	}
	_, types := lookup(root, "types")
	if types == nil || types.Kind != yaml.MappingNode {
		return
	}
	for i := 0; i+1 < len(types.Content); i += 2 {
		key := types.Content[i]
		if _, taken := d.named[key.Value]; !taken && typeName().MatchString(key.Value) {
			d.named[key.Value] = &typeNode{NamedType: &NamedType{Pos: d.src.pos(key), Name: key.Value}, value: types.Content[i+1]}
		}
	}
}

// types decodes the types of a file.
func (d *decoder) types(into *[]*NamedType) func(n *yaml.Node, path string) {
	return func(n *yaml.Node, path string) {
		d.entries(n, path, func(key, _ *yaml.Node, path string) {
			switch t := d.named[key.Value]; {
			case !typeName().MatchString(key.Value):
				d.fail(key, path, quoteShort(key.Value)+" is not the name of a type",
					"use letters and digits, starting with a capital, at most 63 characters, such as "+kindLike(key.Value))
			case t.Pos != d.src.pos(key):
				d.fail(key, path, "is named at "+t.Pos.String()+" too", "choose another name, or use that one")
			default:
				d.decodeType(t)
				if (t.Schema.At["description"] == Pos{}) {
					if text, pos := d.src.commentAbove(key); text != "" {
						t.Schema.Keywords.Description, t.Schema.At["description"] = text, pos
					}
				}
				*into = append(*into, t.NamedType)
			}
		})
	}
}

// decodeType decodes the schema of a type once, when it is first used or when its turn comes.
func (d *decoder) decodeType(t *typeNode) {
	if t.value == nil {
		return
	}
	value, path := t.value, "types."+t.Name
	t.value, t.decoding = nil, true
	d.chain = append(d.chain, t.Name)
	var m marks
	t.Schema, m = d.declaration(value, path)
	if m.required != nil {
		d.failAt(*m.required, path, "required does not apply here", "only a field of an object can be required")
	}
	if t.GoName = m.goName; m.goName != "" && !kindName().MatchString(m.goName) {
		d.failAt(m.goNameAt, path, quoteShort(m.goName)+" is not an exported Go name", "such as "+t.Name)
	}
	t.decoding, d.chain = false, d.chain[:len(d.chain)-1]
}

// use makes a schema that of a named type. It reports false after a problem.
func (d *decoder) use(s *Schema, name string, pos Pos, path string) bool {
	t := d.named[name]
	if t == nil {
		d.failAt(pos, path, quoteShort(name)+" is not a type", d.typeNameHint(name))
		return false
	}
	if t.decoding {
		from := slices.Index(d.chain, name)
		d.failAt(pos, path, "the type "+name+" would contain itself: "+strings.Join(d.chain[from:], " → ")+" → "+name,
			"CRDs have no recursion: write the levels out, or end it with the type any")
		return false
	}
	d.decodeType(t)
	s.Use = t.NamedType
	return true
}

// typeNameHint proposes what may have been meant by the name of a type that there is none of.
func (d *decoder) typeNameHint(name string) string {
	var known []string
	for other := range d.named {
		known = append(known, other)
	}
	slices.Sort(known)
	if best := closest(name, append(shorthandWords(), known...)); best != "" {
		return `did you mean "` + best + `"?`
	}
	return "name it under types, or write a Kubernetes type with its package: core/v1." + shorten(name)
}
