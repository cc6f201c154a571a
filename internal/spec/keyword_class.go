package spec

import (
	"math"
	"reflect"
	"slices"
	"strconv"
	"sync"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// Class is what a keyword does to the values of a schema.
type Class int

// The classes of keywords. All but NoClass make fewer values valid: where a node and its named type
// both set such a keyword, the node's replaces the type's, while controller-gen would require both.
const (
	NoClass     Class = iota // every value stays valid, as with a title
	Restriction              // such as an enum
	Limit                    // of numbers, lengths or counts, for values of certain types; a Go marker has the same name
	Combination              // with schemas that only validate, such as anyOf
)

// KeywordsOf returns the keywords of a class, in the order of the table.
func KeywordsOf(class Class) []*Keyword { return keywordsByClass()[class] }

var keywordsByClass = sync.OnceValue(func() map[Class][]*Keyword {
	found := map[Class][]*Keyword{}
	for i := range keywordTable {
		k := &keywordTable[i]
		found[k.Class] = append(found[k.Class], k)
	}
	return found
})

// IsSet reports whether a schema sets the keyword. The keyword must have a class.
func (k *Keyword) IsSet(s *apiextv1.JSONSchemaProps) bool {
	return !reflect.ValueOf(k.field.value(s)).IsZero()
}

// LimitText returns the value of a limit as YAML has it, and false if the schema does not set it.
func (k *Keyword) LimitText(s *apiextv1.JSONSchemaProps) (string, bool) {
	if !k.IsSet(s) {
		return "", false
	}
	switch value := k.field.value(s).(type) {
	case *int64:
		return strconv.FormatInt(*value, 10), true
	case *float64:
		return formatNumber(*value), true
	case string:
		return value, true
	default: // a flag
		return "true", true
	}
}

// formatNumber formats a number without an exponent, unless it would have more than 21 digits.
func formatNumber(value float64) string {
	if math.Abs(value) < 1e21 {
		return strconv.FormatFloat(value, 'f', -1, 64)
	}
	return strconv.FormatFloat(value, 'g', -1, 64)
}

// SizeLimits returns the minimum and maximum of the length of a text, the number of items, or the
// number of fields, by the type of a schema. They are nil if the schema does not set them.
func SizeLimits(s *apiextv1.JSONSchemaProps) (least, most *int64) {
	for _, k := range KeywordsOf(Limit) {
		if k.Least != "" && k.Form() == CountMarker && slices.Contains(k.Types, s.Type) {
			least, _ = KeywordByName(k.Least).field.value(s).(*int64)
			most, _ = k.field.value(s).(*int64)
		}
	}
	return least, most
}
