package opcheck

import (
	"strings"

	"github.com/opgen-dev/opgen/internal/kinds"
	"github.com/opgen-dev/opgen/internal/spec"
)

// paths checks paths of fields, and collects what is wrong with them.
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

// checkPath checks that a path leads to a field of a kind, and that the field has a fitting type.
// A field of unknown type fits.
func (c *paths) checkPath(of kinds.Resource, path, value string, fitting want) {
	if value == "" || of.Schema() == nil {
		return
	}
	s, so := wholeObject(of.Schema()), ""
	for _, name := range splitPath(value) {
		next, message, hint := fieldSchema(s, name)
		if s != nil && s.Type == "array" {
			c.reportAt(path, value+" leads through the list "+so, fitting.instead)
			return
		}
		if message != "" && strings.Contains(name, "/") {
			hint = `a dot in the name of a label or an annotation is written as \. as in example\.com/owner`
		}
		if message != "" {
			c.reportAt(path, value+" leads to no field of "+of.Kind+": "+message, hint)
			return
		}
		s, so = next, so+"."+name
	}
	if s != nil && s.Type != "" && !fitting.fits(s) {
		c.reportAt(path, value+" is "+nameType(s.Type)+describeElements(s)+", and "+fitting.message, fitting.hint)
	}
}

// splitPath returns the names in a path. A dot in a name is written as \.
func splitPath(path string) []string {
	const dot = "\x00"
	names := strings.Split(strings.TrimPrefix(strings.ReplaceAll(path, `\.`, dot), "."), ".")
	for i, name := range names {
		names[i] = strings.ReplaceAll(name, dot, ".")
	}
	return names
}

// describeElements returns what a list or a map consists of, for a message about a wrong type, such as
// " of type integer".
func describeElements(s *schema) string {
	if i := itemSchema(s); i != nil && i.Type != "" {
		return " of type " + i.Type
	}
	return ""
}
