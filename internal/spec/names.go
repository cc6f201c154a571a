package spec

import (
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"github.com/gobuffalo/flect"
	"go.yaml.in/yaml/v3"
	"golang.org/x/mod/module"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/opgen-dev/opgen/internal/lazyregexp"
)

// names decodes the names of a kind.
func (d *decoder) names(names *Names) func(n *yaml.Node, path string) {
	return func(n *yaml.Node, path string) {
		names.Pos = d.src.pos(n)
		_, goKind := lookup(n, "goKind")
		d.mapping(n, path, keys{
			"kind":       d.kindOf(goKind, &names.Kind),
			"listKind":   d.absent(d.kindOf(goKind, &names.ListKind)),
			"goKind":     d.kind(&names.GoKind),
			"plural":     d.label(&names.Plural),
			"singular":   d.absent(d.label(&names.Singular)),
			"shortNames": d.labels(&names.ShortNames),
			"categories": d.labels(&names.Categories),
		})
		if n.Kind == yaml.MappingNode {
			d.need(n, path, "kind")
		}
		names.derive(n)
		if names.Kind != "" && names.Kind == names.ListKind {
			d.fail(n, path+".listKind", "is the kind itself", "leave it out: it becomes "+names.Kind+"List")
		}
	}
}

// derive fills in the names that follow from the kind.
func (names *Names) derive(n *yaml.Node) {
	if names.Kind == "" {
		return
	}
	lower := strings.ToLower(names.Kind)
	for _, name := range []struct {
		key     string
		field   *string
		derived string
	}{
		{"plural", &names.Plural, Plural(names.Kind)},
		{"singular", &names.Singular, lower},
		{"listKind", &names.ListKind, names.Kind + "List"},
		{"goKind", &names.GoKind, names.Kind},
	} {
		if _, set := lookup(n, name.key); set == nil {
			*name.field = name.derived
		}
	}
	names.GoListKind = names.ListKind
	if !kindName().MatchString(names.ListKind) || names.ListKind == names.GoKind {
		names.GoListKind = names.GoKind + "List"
	}
}

// Plural returns the resource name that a kind has unless its file says otherwise: echoservers for EchoServer.
func Plural(kind string) string { return flect.Pluralize(strings.ToLower(kind)) }

// GoPlural returns what Go code calls several objects of a kind: EchoServers for EchoServer.
func GoPlural(kind string) string { return flect.Pluralize(kind) }

// IsKind tells whether a text is a kind that can be a Go type too.
func IsKind(text string) bool { return kindName().MatchString(text) }

// absent decodes a name that the CRD leaves out when it is the empty text.
func (d *decoder) absent(decode func(n *yaml.Node, path string)) func(n *yaml.Node, path string) {
	return func(n *yaml.Node, path string) {
		if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!str" && n.Value == "" {
			return
		}
		decode(n, path)
	}
}

// kindOf decodes the name of a kind. One that is no Go type is accepted when the file says what the Go type is.
func (d *decoder) kindOf(goKind *yaml.Node, into *string) func(n *yaml.Node, path string) {
	if goKind == nil {
		return d.kind(into)
	}
	return func(n *yaml.Node, path string) {
		value, ok := d.str(n, path)
		switch {
		case !ok:
		case !isLabel(strings.ToLower(value)):
			d.fail(n, path, quoteShort(value)+" is not the name of a kind", "use letters, digits and -, starting with a letter, at most 63 characters")
		default:
			*into = value
		}
	}
}

var kindName = lazyregexp.New(`^[A-Z][A-Za-z0-9]{0,62}$`)

// kind decodes the name of a kind, which is that of a Go type too.
func (d *decoder) kind(into *string) func(n *yaml.Node, path string) {
	return func(n *yaml.Node, path string) {
		value, ok := d.str(n, path)
		if !ok {
			return
		}
		if !kindName().MatchString(value) {
			d.fail(n, path, quoteShort(value)+" is not the name of a kind",
				"use letters and digits, starting with a capital, at most 63 characters, such as "+kindLike(value)+kindHint(path, value))
			return
		}
		*into = value
	}
}

// kindHint says how a kind that exists already can keep its name.
func kindHint(path, value string) string {
	if path == "names.kind" && isLabel(strings.ToLower(value)) {
		return "; a kind that exists already keeps its name with goKind: " + kindLike(value)
	}
	return ""
}

// kindLike makes the name of a kind from something like it.
func kindLike(text string) string {
	if name := GoName(text); kindName().MatchString(name) {
		return name
	}
	return "EchoServer"
}

// label decodes a name that becomes part of a URL: DNS-1035.
func (d *decoder) label(into *string) func(n *yaml.Node, path string) {
	return func(n *yaml.Node, path string) {
		value, ok := d.str(n, path)
		if !ok {
			return
		}
		if !isLabel(value) {
			d.fail(n, path, quoteShort(value)+" is not a DNS label", "use lower-case letters, digits and -, starting with a letter, at most 63 characters")
			return
		}
		*into = value
	}
}

// labels decodes a list of labels without repetition; an empty list is not none.
func (d *decoder) labels(into *[]string) func(n *yaml.Node, path string) {
	each := d.list(func(n *yaml.Node, path string) {
		var value string
		d.label(&value)(n, path)
		if slices.Contains(*into, value) {
			d.fail(n, path, strconv.Quote(value)+" is listed twice", "")
		}
		if value != "" {
			*into = append(*into, value)
		}
	})
	return func(n *yaml.Node, path string) {
		*into = []string{}
		each(n, path)
	}
}

// group decodes an API group.
func (d *decoder) group(into *string) func(n *yaml.Node, path string) {
	return func(n *yaml.Node, path string) {
		value, ok := d.str(n, path)
		switch {
		case !ok:
		case !isSubdomain(value):
			d.fail(n, path, quoteShort(value)+" is not an API group", "write a DNS name in lower case, such as demo.example.com")
		case !strings.Contains(value, "."):
			d.fail(n, path, quoteShort(value)+" lacks a domain", "write a group that is yours alone, such as "+value+".example.com")
		default:
			*into = value
		}
	}
}

var versionName = lazyregexp.New(`^[a-z][a-z0-9]{0,62}$`)

// versionName decodes the name of a version, which is that of a Go package too.
func (d *decoder) versionName(into *string) func(n *yaml.Node, path string) {
	return func(n *yaml.Node, path string) {
		value, ok := d.str(n, path)
		switch {
		case !ok:
		case !versionName().MatchString(value):
			d.fail(n, path, quoteShort(value)+" is not the name of a version", "use lower-case letters and digits, such as v1alpha1")
		case !isPackageName(value):
			d.fail(n, path, quoteShort(value)+" cannot be the name of a Go package", "use a version such as v1alpha1")
		default:
			*into = value
		}
	}
}

// isPackageName says whether a folder of this name can hold a Go package that others import under its name. Go modules
// have no folders that Windows has other uses for, such as aux.
func isPackageName(name string) bool {
	return !token.IsKeyword(name) && types.Universe.Lookup(name) == nil && module.CheckImportPath("example.com/"+name) == nil &&
		!slices.Contains([]string{"internal", "vendor", "testdata", "main", "init"}, name)
}

func isLabel(name string) bool { return len(validation.IsDNS1035Label(name)) == 0 }

func isSubdomain(name string) bool { return len(validation.IsDNS1123Subdomain(name)) == 0 }
