package gomodel

import (
	"strconv"
	"strings"

	"github.com/gobuffalo/flect"

	"github.com/opgen-dev/opgen/internal/spec"
)

// elementName returns the name of the type of a list's items or a map's values, which is the
// singular of the list's name.
func elementName(list string) string {
	if short, plural := strings.CutSuffix(list, "s"); plural && strings.ToUpper(short[max(0, len(short)-2):]) == short[max(0, len(short)-2):] {
		return short // ClusterIPs → ClusterIP
	}
	if singular := flect.Singularize(list); singular != list {
		return singular
	}
	return list + "Item"
}

// nameSet are the names of the types and constants of a package.
type nameSet map[string]bool

// claim adds a name and returns it. If the proposed one is taken, it appends the first number that
// makes it unique.
func (n nameSet) claim(proposed string) string {
	name := proposed
	for i := 2; n[name]; i++ {
		name = proposed + strconv.Itoa(i)
	}
	n[name] = true
	return name
}

// constantName returns the name of an enum's value: TLSVersion12 for 1.2 of a TLSVersion.
func constantName(typeName, value string) string {
	if value == "" {
		return typeName + "Empty"
	}
	name := spec.GoName(value)
	if rest := strings.TrimPrefix(name, "X"); !strings.HasPrefix(strings.ToUpper(value), "X") {
		name = rest // GoName prefixes a digit, which may follow the type's name here
	}
	if name == "" {
		name = "Value" // the value consists of signs only
	}
	return typeName + name
}
