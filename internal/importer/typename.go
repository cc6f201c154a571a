package importer

import (
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/opgen-dev/opgen/internal/lazyregexp"
	"github.com/opgen-dev/opgen/internal/spec"
)

// typeName is what the name of a type must be, at most maxTypeName letters.
var typeName = lazyregexp.New(`^[A-Z][A-Za-z0-9]{0,62}$`)

const maxTypeName = 63

// takenNames returns the names that a Go package of a kind has anyway.
func takenNames(names *yaml.Node) map[string]bool {
	kind, list := scalarText(lookupPath(names, "kind")), scalarText(lookupPath(names, "listKind"))
	goKind := spec.GoName(kind)
	taken := map[string]bool{"GroupVersion": true, "AddToScheme": true, "Resource": true, "ObjectMeta": true, "TypeMeta": true, "ListMeta": true}
	for _, name := range []string{kind, goKind, list, goKind + "List", goKind + "Spec", goKind + "Status"} {
		taken[name] = true
	}
	return taken
}

// nameObjects gives every object a name of its own, in their order. Where several want one, it goes
// to that with the most places.
func nameObjects(objects []*object, taken map[string]bool) {
	claims, wanted := map[string]*object{}, map[*object][]string{}
	for _, o := range objects {
		wanted[o] = o.candidateNames()
		first := wanted[o][0]
		if competitor := claims[first]; competitor == nil || len(o.places) > len(competitor.places) {
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

// chooseName returns the first of some names that is free: as it stands, behind the names of what
// is around it, or with a number.
func (o *object) chooseName(names []string, free func(string) bool) string {
	for _, name := range names {
		if free(name) {
			return name
		}
	}
	for _, name := range names {
		for p := o.placeOf(name).parent; p != nil && len(name) < maxTypeName; p = p.outerPlace() {
			if name = joinNames(p.typeLabel(), name); free(name) {
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

// placeOf returns the first place that a name comes from.
func (o *object) placeOf(name string) *place {
	for _, p := range o.places {
		if strings.HasSuffix(p.tellingName(), name) {
			return p
		}
	}
	return o.places[0]
}

// candidateNames returns the names that fit an object, best first: what its descriptions call it,
// the Kubernetes type that it nearly is, then what it is called at most places, or what the names
// of several places have in common.
func (o *object) candidateNames() []string {
	var names []string
	for _, name := range []string{o.documentedName(), o.kubernetesName()} {
		if name != "" {
			names = append(names, name)
		}
	}
	names = append(names, o.commonEndings()...)
	return append(names, o.places[0].tellingName())
}
