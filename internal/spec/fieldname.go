package spec

import (
	"strconv"
	"strings"
	"unicode"
)

// checkFieldName reports a field that cannot be a field of a Go struct, or whose goName is that of
// another field in taken, which maps Go names to the names of fields.
func (d *decoder) checkFieldName(p Property, goNameAt Pos, path string, taken map[string]string) {
	if !isTagName(p.Name) {
		d.failAt(p.Pos, path, "cannot be the name of a field", `Go's JSON names have no quotes, backslashes, commas or control characters`)
	}
	if p.GoName == "" {
		return
	}
	switch other := taken[p.GoName]; {
	case !goIdentifier().MatchString(p.GoName):
		d.failAt(goNameAt, path, strconv.Quote(shortenText(p.GoName))+" is not an exported Go name", "such as "+GoName(p.Name))
	case p.GoName == "DeepCopy" || p.GoName == "DeepCopyInto":
		d.failAt(goNameAt, path, "its Go name "+p.GoName+" is a generated method", "choose another one")
	case other != "":
		d.failAt(goNameAt, path, "its Go name "+p.GoName+" is that of the field "+other+" too", "set another one with goName: string | goName=Other"+p.GoName)
	}
	taken[p.GoName] = p.Name
}

// nameFields gives the fields of an object that the file gives no Go name one made from their own.
// The first of several that would be the same has it, the others get the first number that is free:
// MirrorPercent2.
func nameFields(fields []Property) {
	taken := map[string]bool{"DeepCopy": true, "DeepCopyInto": true}
	for _, p := range fields {
		if p.GoName != "" {
			taken[p.GoName] = true
		}
	}
	for i := range fields {
		p := &fields[i]
		if p.GoName != "" {
			continue
		}
		wanted := GoName(p.Name)
		p.GoName = wanted
		for n := 2; taken[p.GoName]; n++ {
			p.GoName = wanted + strconv.Itoa(n)
		}
		taken[p.GoName] = true
	}
}

// isTagName reports whether encoding/json takes a name from a struct tag.
func isTagName(name string) bool {
	return name != "" && name != "-" && !strings.ContainsFunc(name, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", r)
	})
}
