package spec

import (
	"bytes"

	"go.yaml.in/yaml/v3"

	"github.com/opgen-dev/opgen/internal/lazyregexp"
)

var (
	controllerHeader = lazyregexp.New(`(?m)^kind:[ \t]*["']?Controller["']?[ \t]*(#.*)?\r?$`)
	typesHeader      = lazyregexp.New(`(?m)^kind:[ \t]*["']?Types["']?[ \t]*(#.*)?\r?$`)
)

// IsController reports whether the header of a spec file has kind: Controller. It does not parse
// the file, so it also works for a file with errors.
func IsController(data []byte) bool {
	return len(data) <= MaxFileSize && bytes.Contains(data, []byte("Controller")) && controllerHeader().Match(data)
}

// IsTypes reports whether the header of a spec file has kind: Types.
func IsTypes(data []byte) bool {
	return len(data) <= MaxFileSize && bytes.Contains(data, []byte("Types")) && typesHeader().Match(data)
}

// ParseProject parses opgen.yaml and sets defaults. file is its name in positions; ParseProject
// reads nothing from disk. It returns either the project or problems, sorted by position.
func ParseProject(file string, data []byte) (*Project, Problems) {
	d, root := parseDocument(file, data)
	if root == nil {
		return nil, d.problems
	}
	p := &Project{File: file, At: map[string]Pos{}}
	d.src.recordPositions(p.At, "", root)
	d.decodeMapping(root, "", projectMapping(p))
	if len(d.problems) > 0 {
		return nil, d.problems.Sorted()
	}
	return p, nil
}

// ParseAPI parses the file of an API and sets defaults. It needs no project. file is its name in
// positions; ParseAPI reads nothing from disk. shared are types that the file can use in addition
// to its own. It returns either the API or problems, sorted by position.
func ParseAPI(file string, data []byte, shared ...*NamedType) (*API, Problems) {
	api, problems := ParsePartial(file, data, shared...)
	if len(problems) > 0 {
		return nil, problems
	}
	return api, nil
}

// ParsePartial is ParseAPI for a file that may have problems: it returns them together with what it
// could decode, so that later stages can find more problems. The API is nil if nothing could be
// decoded.
func ParsePartial(file string, data []byte, shared ...*NamedType) (*API, Problems) {
	d, root := parseDocument(file, data)
	if root == nil || d.isOtherKind(root, otherThanAPI) {
		return nil, d.problems
	}
	api := &API{Header: Header{File: file, Pos: d.src.positionOf(root), At: map[string]Pos{}}}
	d.src.recordPositions(api.At, "", withoutSchemas(root))
	d.types = d.src.collectNamedTypes(root, shared)
	d.lenient = acceptsWarning(root, WarnUnsatisfiable)
	d.decodeMapping(root, "", apiMapping(api, root))
	return api, d.problems.Sorted()
}

// ParseController parses a file of kind Controller and sets defaults. file is its name in
// positions; ParseController reads nothing from disk. It returns either the controller or problems,
// sorted by position.
func ParseController(file string, data []byte) (*Controller, Problems) {
	d, root := parseDocument(file, data)
	if root == nil || d.isOtherKind(root, otherThanController) {
		return nil, d.problems
	}
	c := &Controller{File: file, Pos: d.src.positionOf(root), At: map[string]Pos{}}
	d.src.recordPositions(c.At, "", root)
	d.decodeMapping(root, "", controllerMapping(c))
	if len(d.problems) > 0 {
		return nil, d.problems.Sorted()
	}
	return c, nil
}

// ParseTypes parses a file of kind Types. file is its name in positions; ParseTypes reads nothing
// from disk. It returns either the types or problems, sorted by position.
func ParseTypes(file string, data []byte) (*SharedTypes, Problems) {
	d, root := parseDocument(file, data)
	if root == nil {
		return nil, d.problems
	}
	types := &SharedTypes{File: file}
	d.types = d.src.collectNamedTypes(root, nil)
	d.decodeMapping(root, "", typesMapping(&types.Types))
	if len(d.problems) > 0 {
		return nil, d.problems.Sorted()
	}
	return types, nil
}

// Messages and hints for a file in the wrong folder, by its kind.
var (
	otherThanAPI = map[string][2]string{
		"Project":    {"this is the file of a project, and not of an API", ""},
		"Types":      {"a file of kind Types has no API", "name the file of an API that uses its types, too"},
		"Controller": {"a controller for existing kinds has no API and no CustomResourceDefinition", "put it into controllers/"},
	}
	otherThanController = map[string][2]string{
		"Project": {"this is the file of a project, and not of a controller", ""},
		"API":     {"this is the file of an API, and not of a controller", ""},
		"Types":   {"a file of kind Types has no controller", "put it into api/"},
	}
)

// isOtherKind reports whether a file has another kind than expected. It adds one problem for that,
// since every key of the file would have another.
func (d *decoder) isOtherKind(root *yaml.Node, others map[string][2]string) bool {
	_, kind := lookupKey(root, "kind")
	if kind == nil {
		return false
	}
	other, found := others[kind.Value]
	if found {
		d.fail(kind, "kind", other[0], other[1])
	}
	return found
}

// withoutSchemas returns a document without its types and the schemas of its versions. API.At
// leaves these out: each node of a schema has its own positions.
func withoutSchemas(n *yaml.Node) *yaml.Node {
	pruned := *n
	pruned.Content = nil
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		switch key.Value {
		case "types":
			continue
		case "versions":
			value = withoutValuesOf(value, "spec", "status", "schema")
		}
		pruned.Content = append(pruned.Content, key, value)
	}
	return &pruned
}

// withoutValuesOf returns a list of mappings in which the given keys have empty values.
func withoutValuesOf(list *yaml.Node, names ...string) *yaml.Node {
	pruned := *list
	pruned.Content = nil
	for _, item := range list.Content {
		copied := *item
		copied.Content = append([]*yaml.Node(nil), item.Content...)
		for i := 0; item.Kind == yaml.MappingNode && i+1 < len(item.Content); i += 2 {
			for _, name := range names {
				if item.Content[i].Value == name {
					bare := *item.Content[i+1]
					bare.Content = nil
					copied.Content[i+1] = &bare
				}
			}
		}
		pruned.Content = append(pruned.Content, &copied)
	}
	return &pruned
}
