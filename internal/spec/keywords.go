package spec

import (
	"slices"
	"sync"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/opgen-dev/opgen/internal/jsonschema"
)

// props are the keywords of a schema.
type props = apiextv1.JSONSchemaProps

// Keyword is a row of the table of schema keywords: a keyword of OpenAPI v3 that CRDs allow, or of
// the spec language.
type Keyword struct {
	Name   string
	Class  Class
	Least  string   // the keyword with the lower limit, where this one is the upper limit of a range
	Marker string   // its name in the shorthand; empty: it has none there
	Types  []string // of OpenAPI, to which the marker applies; nil: to all
	Doc    string   // Markdown
	// MarkerDoc is the meaning of the marker if it differs from Doc, in Markdown.
	MarkerDoc string
	field     keywordField
}

// keywordIndex has the rows by name and by marker.
var keywordIndex = sync.OnceValue(func() (index struct{ byName, byMarker map[string]*Keyword }) {
	index.byName, index.byMarker = map[string]*Keyword{}, map[string]*Keyword{}
	for i := range keywordTable {
		k := &keywordTable[i]
		index.byName[k.Name] = k
		if k.Marker != "" {
			index.byMarker[k.Marker] = k
		}
	}
	return index
})

// KeywordByName returns the row of a keyword, or nil.
func KeywordByName(name string) *Keyword { return keywordIndex().byName[name] }

// Keywords returns the table of schema keywords.
func Keywords() []Keyword { return slices.Clone(keywordTable) }

// keywordNames returns all keys of a schema in the form of a mapping, sorted.
func keywordNames() []string {
	var names []string
	for _, k := range keywordTable {
		names = append(names, k.Name)
	}
	slices.Sort(names)
	return names
}

// markerNames returns the names of the markers, sorted.
func markerNames() []string {
	var names []string
	for _, k := range keywordTable {
		if k.Marker != "" {
			names = append(names, k.Marker)
		}
	}
	slices.Sort(names)
	return names
}

// Form returns how the value of the marker is written.
func (k *Keyword) Form() MarkerForm { return k.field.form }

// Words returns the accepted values of the keyword, or nil for any.
func (k *Keyword) Words() []string { return k.field.words }

// HoldsSchemas reports whether the keyword contains schemas of fields, items or values.
func (k *Keyword) HoldsSchemas() bool { return k.field.holds }

// IsOwn reports whether only the spec language has the keyword, and CRDs do not.
func (k *Keyword) IsOwn() bool { return k.field.own }

// Schema returns the JSON Schema of the value of a keyword. The keyword must be one of CRDs, and
// contain no schemas of fields.
func (k *Keyword) Schema(l *Language) *jsonschema.Schema { return k.field.schema(l) }
