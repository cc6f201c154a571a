package spec

import (
	"slices"
	"strconv"
	"strings"

	"github.com/gobuffalo/flect"
	"go.yaml.in/yaml/v3"

	"github.com/opgen-dev/opgen/internal/jsonschema"
)

// kindNames accepts the names of a kind.
func kindNames(names *Names) value {
	return value{
		decode: func(d *decoder, n *yaml.Node, path string) {
			d.decodeMapping(n, path, namesMapping(names, hasKey("goKind").holds(n)))
		},
		schema: func(l *Language) *jsonschema.Schema { return l.referTo(namesMapping(names, true)) },
	}
}

// namesMapping returns the keys under names. With goKind, the kind need not be a valid name of a Go
// type.
func namesMapping(names *Names, goKindIsGiven bool) Mapping {
	kind := &kindForm
	if goKindIsGiven {
		kind = &anyKindForm
	}
	labels := func(into *[]string) value {
		return distinctList(into, strconv.Quote, func(s *string) value { return formedText(s, &labelForm) })
	}
	return Mapping{Name: "names", pos: &names.Pos, Keys: []Key{
		{Name: "kind", Required: true, value: formedText(&names.Kind, kind), Doc: "letters and digits, starting with a capital; with `goKind`, letters, digits and -"},
		{Name: "goKind", Absent: "the kind", value: formedText(&names.GoKind, &kindForm), Doc: "the Go type, for kinds that cannot be one, such as `postgresql`"},
		{Name: "plural", Absent: "the English plural of the kind", value: formedText(&names.Plural, &labelForm), Doc: "the resource in URLs and in RBAC; a DNS label"},
		{Name: "singular", Absent: "the kind in lower case", value: emptyOr(&names.Singular, &labelForm),
			Doc: "the name that `kubectl` takes for one object; a DNS label. `\"\"` leaves it to the API server"},
		{Name: "listKind", Absent: "the kind and `List`", value: emptyOr(&names.ListKind, kind), Doc: "the kind of lists. `\"\"` leaves it to the API server"},
		{Name: "shortNames", Absent: "none", value: labels(&names.ShortNames), Doc: "list of names that `kubectl` takes too; DNS labels"},
		{Name: "categories", Absent: "none", value: labels(&names.Categories), Doc: "list of groups of kinds that `kubectl get` shows together; DNS labels"},
	}, refine: func(s *jsonschema.Schema) {
		s.If = hasKey("goKind").schema()
		s.Then = &jsonschema.Schema{}
		s.Else = &jsonschema.Schema{Properties: map[string]*jsonschema.Schema{
			"kind": kindForm.schema(), "listKind": listKindForm.orEmpty().schema(),
		}}
	}, finish: func(d *decoder, n *yaml.Node, path string) {
		names.deriveNames(n)
		if names.Kind != "" && names.Kind == names.ListKind {
			d.fail(n, path+".listKind", "is the kind itself", "leave it out: it becomes "+names.Kind+"List")
		}
	}}
}

// deriveNames sets the names that follow from the kind if the file does not have them.
func (names *Names) deriveNames(n *yaml.Node) {
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
		if !hasKey(name.key).holds(n) {
			*name.field = name.derived
		}
	}
	names.GoListKind = names.ListKind
	if !kindName().MatchString(names.ListKind) || names.ListKind == names.GoKind {
		names.GoListKind = names.GoKind + "List"
	}
}

// Plural returns the default plural of a kind: echoservers for EchoServer.
func Plural(kind string) string { return flect.Pluralize(strings.ToLower(kind)) }

// GoPlural returns the name of a list of a kind in Go code: EchoServers for EchoServer.
func GoPlural(kind string) string { return flect.Pluralize(kind) }

// IsKind reports whether a text is a kind that can also be the name of a Go type.
func IsKind(text string) bool { return kindName().MatchString(text) }

// nearestKind returns a valid kind that is similar to a text, for hints.
func nearestKind(text string) string {
	if name := GoName(text); kindName().MatchString(name) {
		return name
	}
	return "EchoServer"
}

// checkAPINames checks the names of an API together: the length of the name of its CRD, and the
// names that follow from the kind.
func (d *decoder) checkAPINames(root *yaml.Node, api *API) {
	hasOperator := hasKey("operator").holds(root)
	fail := func(path, message, hint string) { d.failAt(api.At[path], path, message, hint) }
	names := &api.Names
	if name := names.Plural + "." + api.Group; len(name) > 253 {
		fail("group", "the name of the CRD, plural.group, has "+strconv.Itoa(len(name))+" characters", "at most 253")
	} else if hasOperator && len(api.Group) > maxOperatorGroup {
		fail("group", "the group has "+strconv.Itoa(len(api.Group))+" characters", "the names of the operator's Lease and labels contain it: at most "+strconv.Itoa(maxOperatorGroup))
	}
	if lower := strings.ToLower(names.GoKind); names.Kind != "" && hasOperator && !isPackageName(lower) {
		fail("names.kind", "the operator's Go package cannot have the name "+lower, "choose another kind, such as My"+names.Kind)
	}
	if slices.Contains(PackageNames(), names.GoKind) {
		fail("names.kind", "the Go package of the kind declares "+names.GoKind+" itself",
			"give the Go type another name: goKind: My"+names.GoKind)
	}
	if names.Kind == "" {
		return
	}
	if _, written := api.At["names.singular"]; !written && names.Singular != "" && !isLabel(names.Singular) {
		fail("names.kind", "gives the singular "+strconv.Quote(names.Singular)+", which is not a DNS label", "set names.singular")
	}
	if _, written := api.At["names.plural"]; !written && !isLabel(names.Plural) {
		fail("names.kind", "gives the plural "+strconv.Quote(names.Plural)+", which is not a DNS label", "set names.plural")
	}
}
