package importer

import (
	"go.yaml.in/yaml/v3"

	"github.com/opgen-dev/opgen/internal/spec"
)

// object is a schema of an object with fields, at all the places that have it.
type object struct {
	name   string // of the type that it becomes; empty: it stands where it is used
	node   *yaml.Node
	places []*place // in the order of the CRD
	says   map[string]digest
}

// place is where a schema is. What repeats only because the object around it does has one place.
type place struct {
	parent  *place // nil: the root of a version
	label   string // what the schema is called there, as a Go name
	element bool   // an item of a list or a value of a map, not a field
	object  *object
	node    *yaml.Node
}

// repeats are the objects of a CRD.
type repeats struct {
	objects map[digest]*object
	order   []*object // of first use
	roots   map[*yaml.Node]bool
}

// findRepeated finds the objects that the versions of a CRD repeat, and names them.
func (c *typeFinder) findRepeated(crd *yaml.Node) {
	c.repeats = repeats{objects: map[digest]*object{}, roots: map[*yaml.Node]bool{}}
	names := lookupPath(crd, "spec", "names")
	kind := scalarText(lookupPath(names, "kind"))
	for _, v := range itemsOf(lookupPath(crd, "spec", "versions")) {
		root := lookupPath(v, "schema", "openAPIV3Schema")
		for _, e := range entriesOf(lookupPath(root, "properties")) {
			label := spec.GoName(kind)
			switch name := e.key.Value; name {
			case "apiVersion", "kind", "metadata":
				continue
			case "spec":
				c.repeats.roots[e.value] = true
			case "status":
				label += "Status"
				c.repeats.roots[e.value] = true
			default:
				c.visitPlace(&place{parent: &place{label: label}, label: spec.GoName(name), node: e.value})
				continue
			}
			c.visitPlace(&place{label: label, node: e.value})
		}
	}
	c.repeats.chooseTypes(takenNames(names))
}

// visitPlace notes the objects at a place and below it.
func (c *typeFinder) visitPlace(p *place) {
	if p.node.Kind != yaml.MappingNode || c.kubernetesType(p.node).name != "" {
		return
	}
	fields := lookupKey(p.node, "properties")
	if fields != nil && len(fields.Content) > 0 && scalarText(lookupKey(p.node, "type")) == "object" && !c.repeats.roots[p.node] {
		shape := c.prints.of(p.node).shape
		o, known := c.repeats.objects[shape]
		if !known {
			o = &object{node: p.node}
			c.repeats.objects[shape] = o
			c.repeats.order = append(c.repeats.order, o)
		}
		p.object = o
		o.places = append(o.places, p)
		if known {
			return
		}
	}
	for _, e := range entriesOf(fields) {
		c.visitPlace(&place{parent: p, label: spec.GoName(e.key.Value), node: e.value})
	}
	for _, name := range []string{"items", "additionalProperties"} {
		if below := lookupKey(p.node, name); below != nil {
			c.visitPlace(&place{parent: p.parent, label: elementLabel(p.label), element: true, node: below})
		}
	}
}

// chooseTypes names the objects that have several places, and settles what their types say for all
// of them.
func (r *repeats) chooseTypes(taken map[string]bool) {
	var several []*object
	for _, o := range r.order {
		if len(o.places) > 1 {
			several = append(several, o)
		}
	}
	r.order = several
	nameObjects(several, taken)
	for _, o := range several {
		o.says = o.agreedKeywords()
	}
}

// typeOf returns the object that a schema is a use of, nil for none.
func (c *typeFinder) typeOf(n *yaml.Node) *object {
	if c.repeats.roots[n] || lookupKey(n, "properties") == nil {
		return nil
	}
	o := c.repeats.objects[c.prints.of(n).shape]
	if o == nil || o.name == "" {
		return nil
	}
	return o
}

// agreedKeywords returns what a type says of the keywords that its uses can say for themselves:
// what all of them say. A default and null are a matter of the field.
func (o *object) agreedKeywords() map[string]digest {
	agreed := map[string]digest{}
	for _, name := range []string{"title", "example", "externalDocs"} {
		if most, count := mostSaid(o.places, name); count == len(o.places) {
			agreed[name] = most
		}
	}
	if description, ok := o.agreedDescription(); ok {
		agreed["description"] = description
	}
	return agreed
}

// agreedDescription returns the description of a type. A use cannot take it away, so that there is
// one only if all uses have one. Fields say something else as a comment, items and values in more
// words: the type says what they do, or what most fields do.
func (o *object) agreedDescription() (description digest, ok bool) {
	var elements []*place
	for _, p := range o.places {
		if scalarText(lookupKey(p.node, "description")) == "" {
			return digest{}, false
		}
		if p.element {
			elements = append(elements, p)
		}
	}
	if len(elements) > 0 {
		description, _ = mostSaid(elements, "description")
		return description, true
	}
	description, count := mostSaid(o.places, "description")
	return description, count*2 > len(o.places)
}

// mostSaid returns what most places say in a keyword, the first of several, and how many do.
func mostSaid(places []*place, keyword string) (most digest, count int) {
	counts := map[digest]int{}
	for _, p := range places {
		n := lookupKey(p.node, keyword)
		if n == nil {
			continue
		}
		d := valueDigest(n)
		if counts[d]++; counts[d] > count {
			most, count = d, counts[d]
		}
	}
	return most, count
}

// inheritsKeyword reports whether a use of a type says in a keyword what the type says.
func (o *object) inheritsKeyword(e entry) bool {
	said, found := o.says[e.key.Value]
	return found && said == valueDigest(e.value)
}
