package spec

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

var goIdentifier = regexp.MustCompile(`^[A-Z][A-Za-z0-9_]*$`)

// fieldName reports a field that cannot be a field of a Go struct beside those in taken, which maps Go names to
// the names of fields.
func (d *decoder) fieldName(p Property, goNameAt Pos, path string, taken map[string]string) {
	name, pos := p.GoName, goNameAt
	if name == "" {
		name, pos = GoName(p.Name), p.Pos
	}
	switch other := taken[name]; {
	case !isTagName(p.Name):
		d.failAt(p.Pos, path, "cannot be the name of a field", `Go's JSON names have no quotes, backslashes, commas or control characters`)
	case !goIdentifier.MatchString(name) && p.GoName != "":
		d.failAt(pos, path, strconv.Quote(shorten(name))+" is not an exported Go name", "such as "+GoName(p.Name))
	case name == "DeepCopy" || name == "DeepCopyInto":
		d.failAt(pos, path, "its Go name "+name+" is a generated method", "set another one with goName: string | goName=Copy")
	case other != "":
		d.failAt(pos, path, "its Go name "+name+" is that of the field "+other+" too", "set another one with goName: string | goName=Other"+name)
	}
	taken[name] = p.Name
}

// isTagName says whether encoding/json takes a name from a struct tag.
func isTagName(name string) bool {
	return name != "" && name != "-" && !strings.ContainsFunc(name, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", r)
	})
}
