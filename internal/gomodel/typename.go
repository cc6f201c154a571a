package gomodel

import (
	"strconv"
	"strings"

	"github.com/gobuffalo/flect"

	"github.com/opgen-dev/opgen/internal/spec"
)

// elementName returns the name of the type of a list's items or a map's values: the singular of the
// list's.
func elementName(list string) string {
	if short, plural := strings.CutSuffix(list, "s"); plural && strings.ToUpper(short[max(0, len(short)-2):]) == short[max(0, len(short)-2):] {
		return short // ClusterIPs
	}
	if singular := flect.Singularize(list); singular != list {
		return singular
	}
	return list + "Item"
}

// nameSet are the names of the types and constants of a package.
type nameSet map[string]bool

// claim adds a name for a new type or constant and returns it: the given one, with the first number
// after it that makes it unique.
func (n nameSet) claim(proposed string) string {
	name := proposed
	for i := 2; n[name]; i++ {
		name = proposed + strconv.Itoa(i)
	}
	n[name] = true
	return name
}

// constantName returns the name of an enum's value: 1.2 of a TLSVersion is TLSVersion12.
func constantName(typeName, value string) string {
	if value == "" {
		return typeName + "Empty"
	}
	name := spec.GoName(value)
	if rest := strings.TrimPrefix(name, "X"); !strings.HasPrefix(strings.ToUpper(value), "X") {
		name = rest // it stood before a digit, which may follow the type's name
	}
	if name == "" {
		name = "Value" // there are only signs in it
	}
	return typeName + name
}
