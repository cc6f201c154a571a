package gomodel

import (
	"strconv"
	"strings"

	"github.com/gobuffalo/flect"

	"github.com/opgen-dev/opgen/internal/spec"
)

// elementName returns the name of the type of a list's items or a map's values: the singular of the list's.
func elementName(list string) string {
	if short, plural := strings.CutSuffix(list, "s"); plural && strings.ToUpper(short[max(0, len(short)-2):]) == short[max(0, len(short)-2):] {
		return short // ClusterIPs
	}
	if singular := flect.Singularize(list); singular != list {
		return singular
	}
	return list + "Item"
}

// claim returns the name of a new type or constant: the one that is wanted, with the first number after it that
// makes it unique in the package.
func (b *packageBuilder) claim(wanted string) string {
	name := wanted
	for i := 2; b.names[name]; i++ {
		name = wanted + strconv.Itoa(i)
	}
	b.names[name] = true
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
