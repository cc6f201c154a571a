package reference

import "strings"

// key is a key of a mapping in a spec file.
type key struct {
	name     string
	means    string // in Markdown, part of a sentence
	required bool
	absent   string // what its absence means, when that is no default value
	value    *schema
}

// object is the JSON Schema of a mapping with certain keys and no others.
func object(keys []key) *schema {
	s := &schema{Type: "object", Properties: map[string]*schema{}, AdditionalProperties: false}
	for _, k := range keys {
		s.Properties[k.name] = k.value.described(k.means)
		if k.required {
			s.Required = append(s.Required, k.name)
		}
	}
	return s
}

// header are the keys that every spec file starts with.
func header(kind string) []key {
	return []key{
		{name: "apiVersion", required: true, means: "the version of the spec language: `opgen.dev/v1alpha1`", value: &schema{Const: formatVersion}},
		{name: "kind", required: true, means: "what the file describes: `" + kind + "`", value: &schema{Const: kind}},
	}
}

// Forms of names. Regular expressions here are those that both ECMAScript and Go have.
const (
	dnsLabel     = `^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$`
	dnsName      = `^` + dnsPart + `(\.` + dnsPart + `)*$`
	dottedName   = `^` + dnsPart + `(\.` + dnsPart + `)+$`
	dnsPart      = `[a-z0-9]([-a-z0-9]*[a-z0-9])?`
	kindName     = `^[A-Z][A-Za-z0-9]{0,62}$`
	goIdentifier = `^[A-Z][A-Za-z0-9_]*$`
	fieldSteps   = `(\.[^.\[\]]+)+$`
)

func label() *schema {
	return matching(dnsLabel, "a DNS label: lower-case letters, digits and -, starting with a letter, at most 63 characters")
}

func kindOf(example string) *schema {
	return matching(kindName, "letters and digits, starting with a capital, at most 63 characters, such as "+example, example)
}

// pathBelow is a path of fields below .spec, .status or either.
func pathBelow(roots, example string) *schema {
	return matching(`^\.(`+roots+`)`+fieldSteps, "a path of fields below ."+strings.ReplaceAll(roots, "|", " or .")+", such as "+example, example)
}

func labels() *schema {
	s := list(label())
	s.UniqueItems = true
	return s
}
