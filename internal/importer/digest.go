package importer

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/opgen-dev/opgen/internal/yamltext"
)

// digest stands for what a schema or a value says: those that say the same have the same, whatever
// the order of keys, and however YAML writes it.
type digest [sha256.Size]byte

// print is what a schema says, with and without what each use of a type can say for itself.
type print struct{ shape, whole digest }

// useKeywords are laid over the schema of a type where it is used: they do not make it another.
var useKeywords = []string{"description", "title", "example", "externalDocs", "default", "nullable"}

// prints makes the digests of schemas, from the leaves up, and of each schema once.
type prints map[*yaml.Node]print

// of returns the print of a schema.
func (p prints) of(n *yaml.Node) print {
	if known, found := p[n]; found {
		return known
	}
	var shape, own []byte
	for _, e := range sortedEntries(n) {
		name := e.key.Value
		switch {
		case isEmptyKeyword(e):
		case slices.Contains(useKeywords, name):
			own = appendValue(appendText(own, name), e.value)
		case name == "properties":
			shape = p.appendFields(appendText(shape, name), e.value)
		case name == "items" || name == "additionalProperties" && e.value.Kind == yaml.MappingNode:
			whole := p.of(e.value).whole
			shape = append(appendText(shape, name), whole[:]...)
		case name == "required":
			shape = appendTexts(appendText(shape, name), slices.Sorted(slices.Values(scalarTexts(e.value))))
		default:
			shape = appendValue(appendText(shape, name), e.value)
		}
	}
	p[n] = newPrint(sha256.Sum256(shape), own)
	return p[n]
}

func newPrint(shape digest, own []byte) print {
	return print{shape, sha256.Sum256(append(own, shape[:]...))}
}

func (p prints) appendFields(to []byte, fields *yaml.Node) []byte {
	to = appendSize(to, 'p', len(fields.Content))
	for _, e := range sortedEntries(fields) {
		whole := p.of(e.value).whole
		to = append(appendText(to, e.key.Value), whole[:]...)
	}
	return to
}

// isEmptyKeyword reports whether a keyword says as much as if it were absent.
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

// appendValue appends a value such that no two that differ give the same bytes.
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
