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

// IsController reports whether a spec file says that it is of kind Controller.
func IsController(data []byte) bool {
	return len(data) <= MaxFileSize && bytes.Contains(data, []byte("Controller")) && controllerHeader().Match(data)
}

// IsTypes reports whether a spec file says that it is of kind Types, and not the file of an API.
func IsTypes(data []byte) bool {
	return len(data) <= MaxFileSize && bytes.Contains(data, []byte("Types")) && typesHeader().Match(data)
}

// ParseProject reads opgen.yaml and fills in what it leaves out. The file is a name for positions;
// nothing is read from disk. The project is nil when there are problems, which are in the order of
// their positions.
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

// ParseAPI reads the file of an API and fills in what it leaves out. It needs no project. The file
// is a name for positions; nothing is read from disk. The shared types are those that the file can
// use beside its own. The API is nil when there are problems, which are in the order of their
// positions.
func ParseAPI(file string, data []byte, shared ...*NamedType) (*API, Problems) {
	api, problems := ParsePartial(file, data, shared...)
	if len(problems) > 0 {
		return nil, problems
	}
	return api, nil
}

// ParsePartial reads the file of an API like ParseAPI. It also returns what could be read of a file
// with problems, so that later stages can report more of them. The API is nil when nothing could be
// read.
func ParsePartial(file string, data []byte, shared ...*NamedType) (*API, Problems) {
	d, root := parseDocument(file, data)
	if root == nil || d.isOtherFile(root, otherThanAPI) {
		return nil, d.problems
	}
	api := &API{Header: Header{File: file, Pos: d.src.positionOf(root), At: map[string]Pos{}}}
	d.src.recordPositions(api.At, "", withoutSchemas(root))
	d.types = d.src.collectTypes(root, shared)
	d.lenient = acceptsWarning(root, WarnUnsatisfiable)
	d.decodeMapping(root, "", apiMapping(api, root))
	return api, d.problems.Sorted()
}

// ParseController reads a file of kind Controller and fills in what it leaves out. The file is a
// name for positions; nothing is read from disk. The controller is nil when there are problems,
// which are in the order of their positions.
func ParseController(file string, data []byte) (*Controller, Problems) {
	d, root := parseDocument(file, data)
	if root == nil || d.isOtherFile(root, otherThanController) {
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

// ParseTypes reads a file of kind Types. The file is a name for positions; nothing is read from
// disk. The types are nil when there are problems, which are in the order of their positions.
func ParseTypes(file string, data []byte) (*SharedTypes, Problems) {
	d, root := parseDocument(file, data)
	if root == nil {
		return nil, d.problems
	}
	types := &SharedTypes{File: file}
	d.types = d.src.collectTypes(root, nil)
	d.decodeMapping(root, "", typesMapping(&types.Types))
	if len(d.problems) > 0 {
		return nil, d.problems.Sorted()
	}
	return types, nil
}

// What a file of another kind is told, by that kind: message and hint.
var (
	otherThanAPI = map[string][2]string{
		"Project":    {"a project is described in opgen.yaml, and this is the file of an API", ""},
		"Types":      {"a file of types describes no API", "name it beside the file of an API that uses them"},
		"Controller": {"a controller for kinds that exist already describes no API, and so has no CustomResourceDefinition", "its place is controllers/"},
	}
	otherThanController = map[string][2]string{
		"Project": {"a project is described in opgen.yaml, and this is the file of a controller", ""},
		"API":     {"an API is described in api/, and this is the file of a controller for kinds that exist already", ""},
		"Types":   {"a file of types describes no controller", "its place is api/"},
	}
)

// isOtherFile reports a file that says it is of another kind, which it then has nothing in common
// with.
func (d *decoder) isOtherFile(root *yaml.Node, others map[string][2]string) bool {
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

// withoutSchemas returns a document without its types and the schemas of its versions: they know
// their own positions.
func withoutSchemas(n *yaml.Node) *yaml.Node {
	pruned := *n
	pruned.Content = nil
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		switch key.Value {
		case "types":
			continue
		case "versions":
			value = withoutContent(value, "spec", "status", "schema")
		}
		pruned.Content = append(pruned.Content, key, value)
	}
	return &pruned
}

// withoutContent returns a list of mappings without some of their keys' content.
func withoutContent(list *yaml.Node, names ...string) *yaml.Node {
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
