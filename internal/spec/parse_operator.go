package spec

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// operator decodes what the controller of a kind does.
func (d *decoder) operator(into **Operator) func(n *yaml.Node, path string) {
	return func(n *yaml.Node, path string) {
		op := &Operator{Pos: d.src.pos(n)}
		*into = op
		d.mapping(n, path, keys{
			"finalize": d.flag(&op.Finalize),
			"children": d.list(func(n *yaml.Node, path string) { op.Children = append(op.Children, d.child(n, path)) }),
			"rbac":     d.list(func(n *yaml.Node, path string) { op.RBAC = append(op.RBAC, d.policyRule(n, path)) }),
		})
		d.distinctChildren(op.Children, path+".children")
	}
}

// mustSayDeletion are the kinds whose deletion loses data, as group/kind.
var mustSayDeletion = []string{"/PersistentVolumeClaim", "/Namespace", "apiextensions.k8s.io/CustomResourceDefinition"}

// child decodes one kind of children.
func (d *decoder) child(n *yaml.Node, path string) Child {
	c := Child{Pos: d.src.pos(n), Update: InPlace, WhenDropped: Delete, WhenDeleted: Delete}
	ok := d.mapping(n, path, keys{
		"apiVersion":  d.apiVersion(&c.APIVersion),
		"kind":        d.kind(&c.Kind),
		"plural":      d.label(&c.Plural),
		"scope":       word(d, &c.Scope, Namespaced, Cluster),
		"goType":      d.goType(&c.GoType),
		"as":          d.fieldIdentifier(&c.As),
		"update":      word(d, &c.Update, InPlace, Recreate, OnDelete, CreateOnly),
		"retired":     d.flag(&c.Retired),
		"whenDropped": word(d, &c.WhenDropped, Delete),
		"whenDeleted": word(d, &c.WhenDeleted, Delete),
	})
	if !ok {
		return c
	}
	d.need(n, path, "apiVersion", "kind")
	if c.As == "" {
		c.As = GoPlural(c.Kind)
	}
	if !slices.Contains(mustSayDeletion, c.group()+"/"+c.Kind) {
		return c
	}
	for _, key := range []string{"whenDropped", "whenDeleted"} {
		if _, value := lookup(n, key); value == nil {
			d.fail(n, path, "lacks the key "+key, "deleting a "+c.Kind+" loses data, so that it must be written out: "+key+": Delete")
		}
	}
	return c
}

// group returns the API group of the child, empty for the core group.
func (c Child) group() string {
	group, _, found := strings.Cut(c.APIVersion, "/")
	if !found {
		return ""
	}
	return group
}

// apiVersion decodes a group/version, or a version of the core group.
func (d *decoder) apiVersion(into *string) func(n *yaml.Node, path string) {
	return func(n *yaml.Node, path string) {
		value, ok := d.str(n, path)
		if !ok {
			return
		}
		group, version, grouped := strings.Cut(value, "/")
		if !grouped {
			version = group
		}
		if !isLabel(version) || grouped && !isSubdomain(group) {
			d.fail(n, path, quoteShort(value)+" is not an apiVersion", "such as v1 or apps/v1")
			return
		}
		*into = value
	}
}

// goType decodes import/path.Type.
func (d *decoder) goType(into *string) func(n *yaml.Node, path string) {
	return func(n *yaml.Node, path string) {
		value, ok := d.str(n, path)
		if !ok {
			return
		}
		dot := strings.LastIndex(value, ".")
		if dot < 0 || !goIdentifier.MatchString(value[dot+1:]) || !isImportPath(value[:dot]) {
			d.fail(n, path, quoteShort(value)+" is not a Go type", "such as github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1.Certificate")
			return
		}
		*into = value
	}
}

var asName = regexp.MustCompile(`^[A-Z][A-Za-z0-9]*$`)

func (d *decoder) fieldIdentifier(into *string) func(n *yaml.Node, path string) {
	return func(n *yaml.Node, path string) {
		value, ok := d.str(n, path)
		if !ok {
			return
		}
		if !asName.MatchString(value) {
			d.fail(n, path, quoteShort(value)+" is not an exported Go name", "such as "+kindLike(value))
			return
		}
		*into = value
	}
}

// distinctChildren reports children that are the same resource, or would be the same Go field.
func (d *decoder) distinctChildren(children []Child, path string) {
	kinds, fields := map[string]int{}, map[string]int{}
	for i, c := range children {
		if c.Kind == "" {
			continue
		}
		kind := c.group() + "/" + c.Kind
		if first, ok := kinds[kind]; ok {
			d.failAt(c.Pos, at(path, i), "duplicate child "+c.Kind, "the first is on line "+strconv.Itoa(children[first].Pos.Line))
			continue
		}
		kinds[kind] = i
		if first, ok := fields[c.As]; ok {
			d.failAt(c.Pos, at(path, i), "its Go field "+c.As+" is that of "+children[first].Kind+" of "+children[first].APIVersion+" too", "set another one: as: Other"+c.As)
		}
		fields[c.As] = i
	}
}

// selfChildren reports children that are the parent's own kind: each would make the next.
func (d *decoder) selfChildren(api *API) {
	if api.Operator == nil {
		return
	}
	for i, c := range api.Operator.Children {
		if c.Kind != "" && c.Kind == api.Names.Kind && c.group() == api.Group {
			d.failAt(c.Pos, at("operator.children", i), c.Kind+" cannot be its own child", "")
		}
	}
}

// policyRule decodes a rule of the operator's role.
func (d *decoder) policyRule(n *yaml.Node, path string) PolicyRule {
	var r PolicyRule
	ok := d.mapping(n, path, keys{
		"apiGroups":       d.texts(&r.APIGroups),
		"resources":       d.texts(&r.Resources),
		"verbs":           d.texts(&r.Verbs),
		"resourceNames":   d.texts(&r.ResourceNames),
		"nonResourceURLs": d.texts(&r.NonResourceURLs),
	})
	if !ok {
		return r
	}
	d.need(n, path, "verbs")
	_, urls := lookup(n, "nonResourceURLs")
	if urls == nil {
		d.need(n, path, "apiGroups", "resources")
		return r
	}
	for _, key := range []string{"apiGroups", "resources", "resourceNames"} {
		if name, _ := lookup(n, key); name != nil {
			d.fail(name, join(path, key), "does not go with nonResourceURLs", "write two rules")
		}
	}
	return r
}
