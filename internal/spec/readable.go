package spec

import (
	"math"
	"slices"
	"strconv"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// Patterns that accept only what the Go types of Kubernetes can decode. The API server would store
// other values, too. If it did, the operator could not decode the object, and since informers list
// all objects at once, no other object of the kind either.
const (
	// DurationPattern is what time.ParseDuration accepts, except for durations of more than 292
	// years.
	DurationPattern = `^[+-]?(0|(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+)$`
	// TimePattern is a time of RFC 3339 in capitals. The format date-time also accepts small
	// letters.
	TimePattern = `^[0-9-]+T[0-9:]+(\.[0-9]+)?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])$`
	// MicroTimePattern is TimePattern with exactly six digits for microseconds.
	MicroTimePattern = `^[0-9-]+T[0-9:]+\.[0-9]{6}(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])$`
	// QuantityPattern is what resource.ParseQuantity accepts. Exponents are limited to three
	// digits, as larger ones take long to parse.
	QuantityPattern = `^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]{1,3})?$`
)

// goLimits are the keywords that a type gets in addition to its schema, so that its Go type can
// decode every value. Kubernetes types such as meta/v1.Time have none, although the type time of
// the shorthand has: other CRDs use these schemas without a pattern, and an import must not change
// them.
var goLimits = map[string]props{
	"time":        {Pattern: TimePattern},
	"duration":    {Pattern: DurationPattern},
	TypeDuration:  {Pattern: DurationPattern},
	TypeMicroTime: {Pattern: MicroTimePattern},
	"quantity":    {Pattern: QuantityPattern},
	"intOrString": {Minimum: new(float64(math.MinInt32)), Maximum: new(float64(math.MaxInt32))},
}

// goTypeWords are the words of goLimits for types of Kubernetes.
var goTypeWords = map[string]string{
	"k8s.io/apimachinery/pkg/apis/meta/v1.Time":       "time",
	"k8s.io/apimachinery/pkg/apis/meta/v1.Duration":   "duration",
	"k8s.io/apimachinery/pkg/apis/meta/v1.MicroTime":  TypeMicroTime,
	"k8s.io/apimachinery/pkg/api/resource.Quantity":   "quantity",
	"k8s.io/apimachinery/pkg/util/intstr.IntOrString": "intOrString",
}

// GoLimits returns the keywords that a Go type of Kubernetes needs beside its schema, so that it can
// decode every value; none for other types.
func GoLimits(goType string) apiextv1.JSONSchemaProps { return goLimits[goTypeWords[goType]] }

// limitToGoType adds goLimits to a schema with one of those types. A pattern of the author stays,
// too.
func (d *decoder) limitToGoType(s *Schema, name, path string) {
	k, limits := &s.Keywords, goLimits[name]
	switch {
	case limits.Pattern == "" || limits.Pattern == k.Pattern:
	case k.Pattern == "":
		k.Pattern = limits.Pattern
	default:
		k.AllOf = append(k.AllOf, props{Pattern: limits.Pattern})
	}
	d.setLimit(s, "minimum", &k.Minimum, limits, path)
	d.setLimit(s, "maximum", &k.Maximum, limits, path)
	d.checkExactFloats(s, path)
}

// setLimit sets minimum or maximum if the schema does not. It adds a problem if the author has set
// one that Go cannot decode.
func (d *decoder) setLimit(s *Schema, keyword string, own **float64, limits props, path string) {
	lowest, highest := limits.Minimum, limits.Maximum
	switch {
	case lowest == nil:
	case *own == nil && keyword == "minimum":
		*own = new(*lowest)
	case *own == nil:
		*own = new(*highest)
	case **own < *lowest || **own > *highest:
		d.failAt(s.At[keyword], joinPath(path, keyword), strconv.FormatFloat(**own, 'f', -1, 64)+" is not a 32-bit integer, the Go type of this field",
			"from "+strconv.FormatFloat(*lowest, 'f', -1, 64)+" to "+strconv.FormatFloat(*highest, 'f', -1, 64))
	}
}

// KeepReadable keeps what makes the values of base readable when the keywords of over replace those
// of base. If both have a pattern, over gets both, by allOf.
func KeepReadable(over *apiextv1.JSONSchemaProps, base *apiextv1.JSONSchemaProps) {
	var kept []props
	if over.Pattern != "" && over.Pattern != base.Pattern && isReadable(base.Pattern) {
		kept = append(kept, props{Pattern: base.Pattern})
	}
	for _, tree := range base.AllOf {
		if over.AllOf != nil && isReadable(tree.Pattern) {
			kept = append(kept, tree)
		}
	}
	switch {
	case len(kept) == 0:
	case over.AllOf == nil:
		over.AllOf = slices.Concat(base.AllOf, kept)
	default:
		over.AllOf = slices.Concat(over.AllOf, kept)
	}
}

// isReadable reports whether a pattern is one of those above.
func isReadable(pattern string) bool {
	for _, limits := range goLimits {
		if pattern != "" && limits.Pattern == pattern {
			return true
		}
	}
	return false
}
