package importer

import (
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/opgen-dev/opgen/internal/lazyregexp"
	"github.com/opgen-dev/opgen/internal/spec"
)

// typeName matches valid names of types in spec files, of at most maxTypeName letters.
var typeName = lazyregexp.New(`^[A-Z][A-Za-z0-9]{0,62}$`)

const maxTypeName = 63

// reservedNames returns the names that the Go package of a kind always declares.
func reservedNames(names *yaml.Node) map[string]bool {
	kind, list := scalarText(lookupPath(names, "kind")), scalarText(lookupPath(names, "listKind"))
	goKind := spec.GoName(kind)
	taken := map[string]bool{"GroupVersion": true, "AddToScheme": true, "Resource": true, "ObjectMeta": true, "TypeMeta": true, "ListMeta": true}
	for _, name := range []string{kind, goKind, list, goKind + "List", goKind + "Spec", goKind + "Status"} {
		taken[name] = true
	}
	return taken
}

// nameObjects gives every object a unique name, in their order. If several have the same best
// candidate, the one with the most occurrences gets it.
func nameObjects(objects []*object, taken map[string]bool) {
	claims, wanted := map[string]*object{}, map[*object][]string{}
	for _, o := range objects {
		wanted[o] = o.candidateNames()
		first := wanted[o][0]
		if competitor := claims[first]; competitor == nil || len(o.occurrences) > len(competitor.occurrences) {
			claims[first] = o
		}
	}
	for _, o := range objects {
		free := func(name string) bool {
			claimed := claims[name]
			return !taken[name] && (claimed == nil || claimed == o) && typeName().MatchString(name)
		}
		o.name = o.chooseName(wanted[o], free)
		taken[o.name] = true
	}
}

// chooseName returns the first candidate that is free. If none is, it adds the names of enclosing
// types as a prefix, and then a number: Rule, RouteRule, Rule2.
func (o *object) chooseName(names []string, free func(string) bool) string {
	for _, name := range names {
		if free(name) {
			return name
		}
	}
	for _, name := range names {
		for p := o.occurrenceNamed(name).parent; p != nil && len(name) < maxTypeName; p = p.namingParent() {
			if name = joinNames(p.typeNameOrLabel(), name); free(name) {
				return name
			}
		}
	}
	base := "Object"
	for _, name := range names {
		if len(name) < maxTypeName-10 && typeName().MatchString(name) {
			base = name
			break
		}
	}
	name := base
	for i := 2; !free(name); i++ {
		name = base + strconv.Itoa(i)
	}
	return name
}

// occurrenceNamed returns the first occurrence whose specific name ends with a name, or else the
// first one.
func (o *object) occurrenceNamed(name string) *occurrence {
	for _, p := range o.occurrences {
		if strings.HasSuffix(p.specificName(), name) {
			return p
		}
	}
	return o.occurrences[0]
}

// candidateNames returns names for an object, best first: the type name in its descriptions, a
// similar Kubernetes type, then names from its labels.
func (o *object) candidateNames() []string {
	var names []string
	for _, name := range []string{o.documentedName(), o.similarTypeName()} {
		if name != "" {
			names = append(names, name)
		}
	}
	names = append(names, o.commonEndings()...)
	return append(names, o.occurrences[0].specificName())
}
