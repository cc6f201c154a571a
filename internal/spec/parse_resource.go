package spec

import (
	"maps"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/opgen-dev/opgen/internal/lazyregexp"
)

// resource decodes a mapping that names a kind of objects and says more of it. It reports false when n is no mapping
// at all.
func (d *decoder) resource(n *yaml.Node, path string, r *Resource, more keys) bool {
	r.Pos = d.src.pos(n)
	known := keys{
		"apiVersion": d.apiVersion(&r.APIVersion),
		"kind":       d.kind(&r.Kind),
		"plural":     d.label(&r.Plural),
		"scope":      word(d, &r.Scope, Namespaced, Cluster),
		"goType":     d.goType(&r.GoType),
		"as":         d.fieldIdentifier(&r.As),
	}
	maps.Copy(known, more)
	if !d.mapping(n, path, known) {
		return false
	}
	d.need(n, path, "apiVersion", "kind")
	if r.As == "" {
		r.As = GoPlural(r.Kind)
	}
	return true
}

// group returns the API group of the kind, empty for the core group.
func (r Resource) group() string {
	group, _, found := strings.Cut(r.APIVersion, "/")
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
		if dot < 0 || !goIdentifier().MatchString(value[dot+1:]) || !isImportPath(value[:dot]) {
			d.fail(n, path, quoteShort(value)+" is not a Go type", "such as github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1.Certificate")
			return
		}
		*into = value
	}
}

var asName = lazyregexp.New(`^[A-Z][A-Za-z0-9]*$`)

func (d *decoder) fieldIdentifier(into *string) func(n *yaml.Node, path string) {
	return func(n *yaml.Node, path string) {
		value, ok := d.str(n, path)
		if !ok {
			return
		}
		if !asName().MatchString(value) {
			d.fail(n, path, quoteShort(value)+" is not an exported Go name", "such as "+kindLike(value))
			return
		}
		*into = value
	}
}
