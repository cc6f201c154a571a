package opcheck

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/opgen-dev/opgen/internal/kinds"
	"github.com/opgen-dev/opgen/internal/spec"
)

// Related checks the paths that select related objects. related are those of the entries whose kind
// is known. The positions are those of the file's keys by path, such as operator.related[0].nameFrom.
func Related(op *spec.Operator, parents []kinds.Resource, related []kinds.Related, at map[string]spec.Pos) spec.Problems {
	c := paths{at: at, fallback: op.Pos}
	for i, r := range op.Related {
		path := fmt.Sprintf("operator.related[%d].", i)
		sources := sourcesOf(r, parents, related)
		c.checkMatch(r, path, sources, related)
		for _, s := range sources {
			c.checkPath(s, path+"nameFrom", r.NameFrom, names)
			c.checkPath(s, path+"selectorFrom", r.SelectorFrom, selectors)
			c.checkPath(s, path+"namespaces", r.NamespacesFrom, namespaces)
		}
		for _, p := range parents {
			_, said := at[path+"namespaces"]
			if said && len(r.Namespaces) == 0 && r.NamespacesFrom == "" && !p.Namespaced {
				c.reportAt(path+"namespaces", p.Kind+" is cluster-scoped, so there is no namespace of the parent", "write All, or the names of namespaces")
			}
		}
	}
	return c.problems
}

// sourcesOf returns the kinds into which the paths of an entry lead: the parents, or that of another
// entry. There is none if its kind is not known.
func sourcesOf(r spec.Related, parents []kinds.Resource, related []kinds.Related) []kinds.Resource {
	if r.From == "" {
		return parents
	}
	for _, other := range related {
		if other.Spec.As == r.From {
			return []kinds.Resource{other.Resource}
		}
	}
	return nil
}

// checkMatch checks the paths by which objects of an entry match their sources.
func (c *paths) checkMatch(r spec.Related, path string, sources []kinds.Resource, related []kinds.Related) {
	for _, from := range slices.Sorted(maps.Keys(r.Match)) {
		pair := path + "match[" + strconv.Quote(from) + "]"
		for _, known := range related {
			if known.Spec.Pos == r.Pos {
				c.checkPath(known.Resource, pair, from, values)
			}
		}
		for _, s := range sources {
			c.checkPath(s, pair, r.Match[from], values)
		}
	}
}

// want is the type that a path must lead to.
type want struct {
	fits          func(*schema) bool
	message, hint string
	instead       string // what to write in place of a path through a list
}

const orDynamic = "write dynamic: true, and the Related method says which objects"

var (
	names      = want{isTexts, "names are text or a list of it", "write string or []string as its type", orDynamic}
	namespaces = want{isTexts, "namespaces are text or a list of it", "write string or []string as its type", orDynamic}
	selectors  = want{isSelector, "selectors are label selectors or maps of labels", "write meta/v1.LabelSelector or map[string]string as its type", orDynamic}
	values     = want{isScalar, "values that are compared are text, numbers, true or false", "match another field", "match a field outside of lists"}
)

func isScalar(s *schema) bool { return s.Type != "object" && s.Type != "array" }

func isTexts(s *schema) bool {
	if i := itemSchema(s); i != nil {
		s = i
	}
	return s.Type == "string" || s.Type == ""
}

// isSelector reports whether a schema is that of a label selector or of a map of strings.
func isSelector(s *schema) bool {
	if v := valueSchema(s); v != nil {
		return v.Type == "string" || v.Type == ""
	}
	_, labels := s.Properties["matchLabels"]
	_, expressions := s.Properties["matchExpressions"]
	open := s.AdditionalProperties != nil || s.XPreserveUnknownFields != nil && *s.XPreserveUnknownFields
	return s.Type == "object" && (labels || expressions || open)
}
