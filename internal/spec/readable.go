package spec

import (
	"math"
	"slices"
	"strconv"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// The patterns of what the Go types of Kubernetes read. A value that is stored and that the
// operator cannot read keeps it from seeing any object of the kind.
const (
	// DurationPattern is what time.ParseDuration takes, but for durations of more than 292 years.
	DurationPattern = `^[+-]?(0|(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+)$`
	// TimePattern is how RFC 3339 writes a time, with capitals only, which the format date-time
	// leaves open.
	TimePattern = `^[0-9-]+T[0-9:]+(\.[0-9]+)?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])$`
	// MicroTimePattern is a TimePattern with microseconds, no more and no less.
	MicroTimePattern = `^[0-9-]+T[0-9:]+\.[0-9]{6}(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])$`
	// QuantityPattern is what resource.ParseQuantity takes, in a moment: exponents are whole, and
	// of three digits.
	QuantityPattern = `^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]{1,3})?$`
)

// goLimits is what the types by these names ask for beside their schemas, so that their Go types
// can read every value. The names that Kubernetes has for a time, a quantity and an integer or
// string stand for the schemas of other CRDs.
var goLimits = map[string]props{
	"time":        {Pattern: TimePattern},
	"duration":    {Pattern: DurationPattern},
	TypeDuration:  {Pattern: DurationPattern},
	TypeMicroTime: {Pattern: MicroTimePattern},
	"quantity":    {Pattern: QuantityPattern},
	"intOrString": {Minimum: new(float64(math.MinInt32)), Maximum: new(float64(math.MaxInt32))},
}

// limitToReadable limits a schema whose type the file gives by a name to what the Go type reads.
// What the file itself asks for holds beside it.
func (d *decoder) limitToReadable(s *Schema, name, path string) {
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

// setLimit sets a limit that a schema lacks; one that it has must be a value that can be read.
func (d *decoder) setLimit(s *Schema, keyword string, own **float64, limits props, path string) {
	lowest, highest := limits.Minimum, limits.Maximum
	switch {
	case lowest == nil:
	case *own == nil && keyword == "minimum":
		*own = new(*lowest)
	case *own == nil:
		*own = new(*highest)
	case **own < *lowest || **own > *highest:
		d.failAt(s.At[keyword], joinPath(path, keyword), strconv.FormatFloat(**own, 'f', -1, 64)+" is no integer of 32 bits, which is what Go reads here",
			"from "+strconv.FormatFloat(*lowest, 'f', -1, 64)+" to "+strconv.FormatFloat(*highest, 'f', -1, 64))
	}
}

// KeepReadable adds to a schema that is laid over another what keeps out values that the Go type of
// that one cannot read: a pattern holds beside it, and does not take its place.
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

// isReadable reports whether a pattern keeps out what a Go type cannot read.
func isReadable(pattern string) bool {
	for _, limits := range goLimits {
		if pattern != "" && limits.Pattern == pattern {
			return true
		}
	}
	return false
}
