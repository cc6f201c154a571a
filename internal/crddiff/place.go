package crddiff

import (
	"cmp"

	"github.com/opgen-dev/opgen/internal/crdgen"
	"github.com/opgen-dev/opgen/internal/spec"
)

// place is where a schema is: its path, and the node of the spec file or of the Go types that it is
// made from.
type place struct {
	path   string
	isRoot bool         // the schema is that of the whole object
	node   *spec.Schema // nil inside of a Kubernetes type, and if it is not known
	// inside is the import path of the Go type of another module to which the keywords here belong.
	// It is empty where they are the project's own, also at a field that has such a type.
	inside string
}

// nodeOf returns the node of the whole object of a version, with spec and status.
func (c *comparer) nodeOf(version int) *spec.Schema {
	if c.api == nil || version >= len(c.api.Versions) {
		return nil
	}
	v := c.api.Versions[version]
	root := spec.Schema{Pos: v.Pos}
	if v.Root != nil {
		root = *v.Root.Declared()
	}
	for name, node := range map[string]*spec.Schema{"spec": v.Spec, "status": v.Status} {
		if node != nil {
			root.Properties = append(root.Properties[:len(root.Properties):len(root.Properties)], spec.Property{Name: name, Pos: node.Pos, Schema: node})
		}
	}
	return &root
}

// foreign returns the import path of the Go type of another module that the fields below belong to,
// and "" if they are the project's own.
func (p place) foreign() string {
	if p.inside != "" || p.node == nil {
		return p.inside
	}
	node := p.node.Declared()
	if node.Type == "" {
		return node.Foreign
	}
	t, _ := crdgen.TypeOf(node)
	return cmp.Or(t.GoPackage, node.Type)
}

// metaPackage has the types of apiVersion, kind and metadata.
const metaPackage = "k8s.io/apimachinery/pkg/apis/meta/v1"

// field returns the place of a field.
func (p place) field(name string) place {
	below := place{path: p.path + "." + name, inside: p.foreign()}
	if p.isRoot && (name == "apiVersion" || name == "kind") {
		below.inside = metaPackage
	}
	if p.node != nil && below.inside == "" {
		below.node = p.node.Declared().Property(name)
	}
	return below
}

// element returns the place of the items of a list, or of the values of a map. All that is said of
// an element is said by its type.
func (p place) element(suffix string) place {
	below := place{path: p.path + suffix, inside: p.foreign()}
	if p.node == nil || below.inside != "" {
		return below
	}
	node := p.node.Declared()
	below.node = cmp.Or(node.Items, node.AdditionalProperties)
	below.inside = below.foreign()
	return below
}

// position returns the position of a keyword, and that of the node if it has none.
func (p place) position(keyword string) spec.Pos {
	if p.node == nil || p.inside != "" {
		return spec.Pos{}
	}
	if at, found := p.node.At[keyword]; found {
		return at
	}
	return p.node.Pos
}

// difference returns a difference here, with its cause.
func (p place) difference(keyword, ours, theirs string) Difference {
	d := Difference{Cause: OwnSource, Path: p.path, Ours: ours, Theirs: theirs, Pos: p.position(keyword)}
	if keyword != "" {
		d.Path += "." + keyword
	}
	if p.inside != "" {
		d.Cause, d.Foreign = ForeignTypes, p.inside
	}
	return d
}
