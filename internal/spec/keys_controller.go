package spec

import (
	"strconv"

	"go.yaml.in/yaml/v3"
)

// controllerMapping returns the keys of the file of a controller.
func controllerMapping(c *Controller) Mapping {
	return Mapping{Name: "Controller", Keys: append(headerKeys("Controller"), []Key{
		{Name: "name", Required: true, value: formedText(&c.Name, &controllerNameForm),
			Doc: "the name of the file without `.yaml`; a DNS label, without its dashes the name of a Go package. With the domain of the project it begins the controller's own labels and its finalizer"},
		{Name: "parents", Required: true, value: parentList(&c.Parents), Doc: "list of the kinds that the controller operates, each once"},
		{Name: "parentMetadata", value: trueOrFalseBy(false, &c.ParentMetadata), Doc: "Sync may set labels and annotations of parents"},
		{Name: "acceptWarnings", Absent: "none", value: warningNames(&c.AcceptWarnings),
			Doc: "list of the warnings that are meant, of which nothing is said; a controller can be warned of `namespaces` and `privileged`"},
		{Name: "operator", Absent: "no children", value: nestedMapping(&c.Operator, operatorMapping), Doc: "what the controller does, as in the file of an API"},
	}...), finish: func(d *decoder, _ *yaml.Node, _ string) {
		if c.Operator == nil {
			c.Operator = &Operator{Pos: c.Pos, Teardown: TeardownTogether}
		}
		d.checkParentChildren(c)
	}}
}

// parentList accepts the list of kinds that a controller operates.
func parentList(into *[]Parent) value {
	v := notEmpty(listOf(into, parentMapping), "has no parent",
		"name the kinds that the controller operates, such as {apiVersion: apps/v1, kind: StatefulSet}")
	decode := v.decode
	v.decode = func(d *decoder, n *yaml.Node, path string) {
		decode(d, n, path)
		d.checkDistinctParents(*into, path)
	}
	return v
}

// parentMapping returns the keys of a parent: its kind, and selectors for its objects.
func parentMapping(p *Parent) Mapping {
	return Mapping{Name: "parent", pos: &p.Pos, Keys: append(resourceKeys(&p.Resource, "each resource once"), []Key{
		{Name: "labelSelector", Absent: "all objects", value: labelSelector(&p.Labels),
			Doc: "which objects by their labels, in kubectl's syntax, such as `app=web,tier!=db`, or as `{matchLabels, matchExpressions}`"},
		{Name: "annotationSelector", Absent: "all objects", value: annotationSelector(&p.Annotations),
			Doc: "which objects by their annotations, in the same forms, where `matchAnnotations` may stand for `matchLabels`. A key alone, such as `example.com/managed`, is for objects that have it"},
	}...)}
}

// checkDistinctParents adds a problem for parents with the same kind.
func (d *decoder) checkDistinctParents(parents []Parent, path string) {
	lines := map[string]int{}
	for i, p := range parents {
		if p.Kind == "" {
			continue
		}
		if line, ok := lines[p.groupKind()]; ok {
			d.failAt(p.Pos, indexPath(path, i), "duplicate parent "+p.Kind, "the first is on line "+strconv.Itoa(line)+"; a selector in (…) takes several values")
			continue
		}
		lines[p.groupKind()] = p.Pos.Line
	}
}
