package spec

import (
	"bytes"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/opgen-dev/opgen/internal/lazyregexp"
)

var kindController = lazyregexp.New(`(?m)^kind:[ \t]*["']?Controller["']?[ \t]*(#.*)?\r?$`)

// IsController tells whether a spec file says that it is of kind Controller.
func IsController(data []byte) bool {
	return len(data) <= MaxFileSize && bytes.Contains(data, []byte("Controller")) && kindController().Match(data)
}

// ParseController reads a file of kind Controller and fills in what it leaves out. The file is a name for positions;
// nothing is read from disk. The controller is nil when there are problems, which are in the order of their positions.
func ParseController(file string, data []byte) (*Controller, Problems) {
	d, root := document(file, data)
	if root == nil {
		return nil, d.problems
	}
	if d.notController(root) {
		return nil, d.problems
	}
	c := &Controller{File: file, Pos: d.src.pos(root), At: map[string]Pos{}}
	d.record(c.At, "", root)
	known := d.header("Controller")
	known["name"] = d.controllerName(&c.Name)
	known["parents"] = d.parents(&c.Parents)
	known["parentMetadata"] = d.flag(&c.ParentMetadata)
	known["acceptWarnings"] = d.acceptWarnings(&c.AcceptWarnings)
	known["operator"] = d.operator(&c.Operator)
	d.mapping(root, "", known)
	d.need(root, "", "apiVersion", "kind", "name", "parents")
	if c.Operator == nil {
		c.Operator = &Operator{Pos: c.Pos, Teardown: TeardownTogether}
	}
	d.parentChildren(c)
	if len(d.problems) > 0 {
		return nil, d.problems.Sorted()
	}
	return c, nil
}

// notController reports a file that says it is something else than that of a controller, which it then has nothing in
// common with.
func (d *decoder) notController(root *yaml.Node) bool {
	_, n := lookup(root, "kind")
	if n == nil {
		return false
	}
	switch n.Value {
	case "Project":
		d.fail(n, "kind", "a project is described in opgen.yaml, and this is the file of a controller", "")
	case "API":
		d.fail(n, "kind", "an API is described in api/, and this is the file of a controller for kinds that exist already", "")
	case "Types":
		d.fail(n, "kind", "a file of types describes no controller", "its place is api/")
	default:
		return false
	}
	return true
}

// controllerName decodes the name of a controller, which without its dashes is that of a Go package too.
func (d *decoder) controllerName(into *string) func(n *yaml.Node, path string) {
	return func(n *yaml.Node, path string) {
		value, ok := d.str(n, path)
		switch {
		case !ok:
		case !isLabel(value):
			d.fail(n, path, quoteShort(value)+" is not the name of a controller",
				"use lower-case letters, digits and -, starting with a letter, at most 63 characters, such as service-per-pod")
		case !isPackageName((&Controller{Name: value}).Package()):
			d.fail(n, path, quoteShort(value)+" cannot be the name of a Go package", "choose another name, such as "+value+"-controller")
		default:
			*into = value
		}
	}
}

// parents decodes the kinds that a controller operates.
func (d *decoder) parents(into *[]Parent) func(n *yaml.Node, path string) {
	each := d.list(func(n *yaml.Node, path string) { *into = append(*into, d.parent(n, path)) })
	return func(n *yaml.Node, path string) {
		if n.Kind == yaml.SequenceNode && len(n.Content) == 0 {
			d.fail(n, path, "has no parent", "name the kinds that the controller operates, such as {apiVersion: apps/v1, kind: StatefulSet}")
		}
		each(n, path)
		d.distinctParents(*into, path)
	}
}

// parent decodes one kind that a controller operates.
func (d *decoder) parent(n *yaml.Node, path string) Parent {
	p := Parent{Resource: Resource{Pos: d.src.pos(n)}}
	ok := d.mapping(n, path, keys{
		"apiVersion":         d.apiVersion(&p.APIVersion),
		"kind":               d.kind(&p.Kind),
		"plural":             d.label(&p.Plural),
		"scope":              word(d, &p.Scope, Namespaced, Cluster),
		"goType":             d.goType(&p.GoType),
		"labelSelector":      d.labelSelector(&p.Labels),
		"annotationSelector": d.annotationSelector(&p.Annotations),
	})
	if ok {
		d.need(n, path, "apiVersion", "kind")
	}
	return p
}

// distinctParents reports parents that are the same resource.
func (d *decoder) distinctParents(parents []Parent, path string) {
	lines := map[string]int{}
	for i, p := range parents {
		if p.Kind == "" {
			continue
		}
		if line, ok := lines[p.groupKind()]; ok {
			d.failAt(p.Pos, at(path, i), "duplicate parent "+p.Kind, "the first is on line "+strconv.Itoa(line)+"; a selector in (…) takes several values")
			continue
		}
		lines[p.groupKind()] = p.Pos.Line
	}
}

// parentChildren reports children that are of a kind of the parents: each would make the next.
func (d *decoder) parentChildren(c *Controller) {
	for i, child := range c.Operator.Children {
		same := func(p Parent) bool { return p.Kind != "" && p.groupKind() == child.groupKind() }
		if !child.Retired && slices.ContainsFunc(c.Parents, same) {
			d.failAt(child.Pos, at("operator.children", i), child.Kind+" is a parent too, and each would make the next",
				"leave it out here; labels and annotations of the parents themselves are set with parentMetadata: true")
		}
	}
}

// groupKind is what tells a kind from all others, whatever its version.
func (r Resource) groupKind() string { return r.Kind + "." + r.group() }
