package opcheck

import (
	"fmt"
	"strings"

	"github.com/opgen-dev/opgen/internal/kinds"
	"github.com/opgen-dev/opgen/internal/spec"
)

// Related checks the paths in parents that select related objects. The positions are those of the
// file's keys by path, such as operator.related[0].nameFrom.
func Related(op *spec.Operator, parents []kinds.Resource, at map[string]spec.Pos) spec.Problems {
	c := paths{at: at, fallback: op.Pos}
	for i, r := range op.Related {
		path := fmt.Sprintf("operator.related[%d].", i)
		for _, p := range parents {
			c.checkPath(p, path+"nameFrom", r.NameFrom, names)
			c.checkPath(p, path+"selectorFrom", r.SelectorFrom, selectors)
			c.checkPath(p, path+"namespaces", r.NamespacesFrom, namespaces)
			_, said := at[path+"namespaces"]
			if said && len(r.Namespaces) == 0 && r.NamespacesFrom == "" && !p.Namespaced {
				c.reportAt(path+"namespaces", p.Kind+" is cluster-scoped, so there is no namespace of the parent", "write All, or the names of namespaces")
			}
		}
	}
	return c.problems
}

type paths struct {
	at       map[string]spec.Pos
	fallback spec.Pos
	problems spec.Problems
}

func (c *paths) reportAt(path, message, hint string) {
	pos, ok := c.at[path]
	if !ok {
		pos = c.fallback
	}
	c.problems = append(c.problems, spec.Problem{Pos: pos, Path: path, Message: message, Hint: hint})
}

// checkPath checks that a path leads to a field of a parent, and that the field has a fitting type.
// A field of unknown type fits.
func (c *paths) checkPath(p kinds.Resource, path, value string, fitting want) {
	if value == "" || p.Schema() == nil {
		return
	}
	s, so := wholeObject(p.Schema()), ""
	for _, name := range strings.Split(strings.TrimPrefix(value, "."), ".") {
		next, message, hint := fieldSchema(s, name)
		if s != nil && s.Type == "array" {
			c.reportAt(path, value+" leads through the list "+so, fitting.insteadOfLists)
			return
		}
		if message != "" {
			c.reportAt(path, value+" leads to no field of "+p.Kind+": "+message, hint)
			return
		}
		s, so = next, so+"."+name
	}
	if s != nil && s.Type != "" && !fitting.fits(s) {
		c.reportAt(path, value+" is "+nameType(s.Type)+describeElements(s)+", and "+fitting.message, fitting.hint)
	}
}

// describeElements returns what a list or a map consists of, for a message about a wrong type, such as
// " of type integer".
func describeElements(s *schema) string {
	if i := itemSchema(s); i != nil && i.Type != "" {
		return " of type " + i.Type
	}
	return ""
}

// want is the type that a path must lead to.
type want struct {
	fits           func(*schema) bool
	message, hint  string
	insteadOfLists string // what to do in place of a path through a list
}

const relatedInsteadOfLists = "write dynamic: true, and the Related method says which objects"

var (
	names      = want{isTexts, "names are text or a list of it", "write string or []string as its type", relatedInsteadOfLists}
	namespaces = want{isTexts, "namespaces are text or a list of it", "write string or []string as its type", relatedInsteadOfLists}
	selectors  = want{isSelector, "selectors are label selectors or maps of labels", "write meta/v1.LabelSelector or map[string]string as its type", relatedInsteadOfLists}
)

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
