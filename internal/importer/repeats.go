package importer

import (
	"go.yaml.in/yaml/v3"

	"github.com/opgen-dev/opgen/internal/spec"
)

// object is one schema of an object with fields, with everything in the CRD that has this schema.
// An object with several occurrences becomes a type of the spec file.
type object struct {
	name        string // of the type; empty if the schema is written where it occurs
	node        *yaml.Node
	occurrences []*occurrence     // in the order of the CRD
	agreed      map[string]digest // the perUseKeywords that the type has, see agreedKeywords
}

// occurrence is a field, an item or a value with a schema. An object inside of a repeated object
// has one occurrence, not one for each of the outer object.
type occurrence struct {
	parent  *occurrence // nil for the spec and the status of a version
	label   string      // the name of the field as a Go name; for an item, the singular of the list's
	element bool        // an item of a list or a value of a map, not a field
	object  *object
	node    *yaml.Node
}

// repeats are the objects of a CRD.
type repeats struct {
	objects map[digest]*object
	order   []*object           // with several occurrences, in the order of the CRD
	roots   map[*yaml.Node]bool // the spec and the status of each version, which never become types
}

// findRepeatedObjects finds the objects that occur several times in the versions of a CRD, and
// names them.
func (c *typeFinder) findRepeatedObjects(crd *yaml.Node) {
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
				c.addOccurrences(&occurrence{parent: &occurrence{label: label}, label: spec.GoName(name), node: e.value})
				continue
			}
			c.addOccurrences(&occurrence{label: label, node: e.value})
		}
	}
	c.repeats.chooseTypes(reservedNames(names))
}

// addOccurrences adds the occurrences of objects at p and below. It does not descend into an object
// that it has met before.
func (c *typeFinder) addOccurrences(p *occurrence) {
	if p.node.Kind != yaml.MappingNode || c.kubernetesType(p.node).name != "" {
		return
	}
	fields := lookupKey(p.node, "properties")
	if fields != nil && len(fields.Content) > 0 && scalarText(lookupKey(p.node, "type")) == "object" && !c.repeats.roots[p.node] {
		asType := c.digester.digests(p.node).asType
		o, known := c.repeats.objects[asType]
		if !known {
			o = &object{node: p.node}
			c.repeats.objects[asType] = o
			c.repeats.order = append(c.repeats.order, o)
		}
		p.object = o
		o.occurrences = append(o.occurrences, p)
		if known {
			return
		}
	}
	for _, e := range entriesOf(fields) {
		c.addOccurrences(&occurrence{parent: p, label: spec.GoName(e.key.Value), node: e.value})
	}
	for _, name := range []string{"items", "additionalProperties"} {
		if below := lookupKey(p.node, name); below != nil {
			c.addOccurrences(&occurrence{parent: p.parent, label: elementLabel(p.label), element: true, node: below})
		}
	}
}

// chooseTypes makes types of the objects with several occurrences: it chooses their names and their
// keywords.
func (r *repeats) chooseTypes(taken map[string]bool) {
	var several []*object
	for _, o := range r.order {
		if len(o.occurrences) > 1 {
			several = append(several, o)
		}
	}
	r.order = several
	nameObjects(several, taken)
	for _, o := range several {
		o.agreed = o.agreedKeywords()
	}
}

// repeatedObject returns the object whose type can replace a schema, or nil.
func (c *typeFinder) repeatedObject(n *yaml.Node) *object {
	if c.repeats.roots[n] || lookupKey(n, "properties") == nil {
		return nil
	}
	o := c.repeats.objects[c.digester.digests(n).asType]
	if o == nil || o.name == "" {
		return nil
	}
	return o
}

// agreedKeywords returns which perUseKeywords the type of an object has: those with the same value
// in all uses. default and nullable always stay with the fields.
func (o *object) agreedKeywords() map[string]digest {
	agreed := map[string]digest{}
	for _, name := range []string{"title", "example", "externalDocs"} {
		if most, count := mostCommonValue(o.occurrences, name); count == len(o.occurrences) {
			agreed[name] = most
		}
	}
	if description, ok := o.agreedDescription(); ok {
		agreed["description"] = description
	}
	return agreed
}

// agreedDescription returns the description of a type. It returns false if a use has none, since a
// use cannot remove the description of its type. It takes the most common description of items and
// values, which have that of their Go type. If there are only fields, more than half of them must
// have the same.
func (o *object) agreedDescription() (description digest, ok bool) {
	var elements []*occurrence
	for _, p := range o.occurrences {
		if scalarText(lookupKey(p.node, "description")) == "" {
			return digest{}, false
		}
		if p.element {
			elements = append(elements, p)
		}
	}
	if len(elements) > 0 {
		description, _ = mostCommonValue(elements, "description")
		return description, true
	}
	description, count := mostCommonValue(o.occurrences, "description")
	return description, count*2 > len(o.occurrences)
}

// mostCommonValue returns the most common value of a keyword, the first of several, and its count.
func mostCommonValue(occurrences []*occurrence, keyword string) (most digest, count int) {
	counts := map[digest]int{}
	for _, p := range occurrences {
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

// inheritsKeyword reports whether a keyword of a use has the value that the type has.
func (o *object) inheritsKeyword(e entry) bool {
	agreed, found := o.agreed[e.key.Value]
	return found && agreed == valueDigest(e.value)
}
