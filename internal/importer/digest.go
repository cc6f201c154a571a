package importer

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/opgen-dev/opgen/internal/yamltext"
)

// digest is a hash of a schema or a value. Equal content has an equal digest: the order of keys and
// the style of YAML, such as quotes and flow style, do not matter.
type digest [sha256.Size]byte

// schemaDigests are the digests of a schema with all its keywords (whole), and without
// perUseKeywords (asType). Two schemas with the same asType can be uses of one type:
//
//	{type: object, properties: {name: {type: string}}, description: The source}
//	{type: object, properties: {name: {type: string}}, description: The target}
type schemaDigests struct{ asType, whole digest }

// perUseKeywords are the keywords that a use of a type can set for itself, beside the name of the
// type.
var perUseKeywords = []string{"description", "title", "example", "externalDocs", "default", "nullable"}

// digester computes the digests of schemas from the leaves up, and remembers them by node, so that
// each schema is hashed once.
type digester map[*yaml.Node]schemaDigests

// digests returns the digests of a schema.
func (p digester) digests(n *yaml.Node) schemaDigests {
	if known, found := p[n]; found {
		return known
	}
	var asType, own []byte
	for _, e := range sortedEntries(n) {
		name := e.key.Value
		switch {
		case isEmptyKeyword(e):
		case slices.Contains(perUseKeywords, name):
			own = appendValue(appendText(own, name), e.value)
		case name == "properties":
			asType = p.appendFields(appendText(asType, name), e.value)
		case name == "items" || name == "additionalProperties" && e.value.Kind == yaml.MappingNode:
			whole := p.digests(e.value).whole
			asType = append(appendText(asType, name), whole[:]...)
		case name == "required":
			asType = appendTexts(appendText(asType, name), slices.Sorted(slices.Values(scalarTexts(e.value))))
		default:
			asType = appendValue(appendText(asType, name), e.value)
		}
	}
	p[n] = newSchemaDigests(sha256.Sum256(asType), own)
	return p[n]
}

func newSchemaDigests(asType digest, own []byte) schemaDigests {
	return schemaDigests{asType, sha256.Sum256(append(own, asType[:]...))}
}

func (p digester) appendFields(to []byte, fields *yaml.Node) []byte {
	to = appendSize(to, 'p', len(fields.Content))
	for _, e := range sortedEntries(fields) {
		whole := p.digests(e.value).whole
		to = append(appendText(to, e.key.Value), whole[:]...)
	}
	return to
}

// isEmptyKeyword reports whether a keyword means the same as if it were absent, such as
// nullable: false or description: "".
func isEmptyKeyword(e entry) bool {
	switch e.key.Value {
	case "default", "example":
		return false
	case "description":
		return scalarText(e.value) == ""
	case "additionalProperties":
		return yamltext.IsNull(e.value)
	}
	return yamltext.IsNull(e.value) || isFalse(e.value)
}

func sortedEntries(n *yaml.Node) []entry {
	all := entriesOf(n)
	slices.SortStableFunc(all, func(a, b entry) int { return strings.Compare(a.key.Value, b.key.Value) })
	return all
}

func valueDigest(n *yaml.Node) digest { return sha256.Sum256(appendValue(nil, n)) }

// appendValue appends an encoding of a value. Different values have different encodings: each part
// begins with its kind and its size.
func appendValue(to []byte, n *yaml.Node) []byte {
	switch n.Kind {
	case yaml.MappingNode:
		to = appendSize(to, 'm', len(n.Content))
		for _, e := range sortedEntries(n) {
			to = appendValue(appendText(to, e.key.Value), e.value)
		}
		return to
	case yaml.SequenceNode:
		to = appendSize(to, 's', len(n.Content))
		for _, item := range n.Content {
			to = appendValue(to, item)
		}
		return to
	}
	switch n.ShortTag() {
	case "!!bool", "!!int", "!!float", "!!null":
		return appendText(append(to, 'v'), scalarValue(n))
	}
	return appendText(append(to, 't'), n.Value)
}

func appendText(to []byte, text string) []byte {
	return append(appendSize(to, '"', len(text)), text...)
}

func appendTexts(to []byte, all []string) []byte {
	to = appendSize(to, 's', len(all))
	for _, text := range all {
		to = appendText(to, text)
	}
	return to
}

func appendSize(to []byte, kind byte, size int) []byte {
	return binary.AppendUvarint(append(to, kind), uint64(size))
}
