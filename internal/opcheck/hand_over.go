package opcheck

import (
	"fmt"
	"strings"

	"github.com/opgen-dev/opgen/internal/kinds"
	"github.com/opgen-dev/opgen/internal/spec"
)

// HandOver checks that the paths of fields that a child hands over lead to fields of the child. path
// is that of the key, and at has the positions of the file's keys by path.
func HandOver(declared spec.Child, path string, child kinds.Resource, at map[string]spec.Pos) spec.Problems {
	c := paths{at: at, fallback: declared.Pos}
	for i, value := range declared.HandOver {
		c.checkHandOver(child, fmt.Sprintf("%s[%d]", path, i), value)
	}
	return c.problems
}

// checkHandOver checks one path of a field that a child hands over.
func (c *paths) checkHandOver(child kinds.Resource, path, value string) {
	s, so := wholeObject(child.Schema()), ""
	for _, name := range splitPath(value) {
		switch {
		case s == nil:
			return
		case s.Type == "array":
			c.reportAt(path, value+" leads into the list "+so, "the list as a whole can be handed over: "+so)
			return
		case s.XMapType != nil && *s.XMapType == "atomic":
			c.reportAt(path, value+" leads into "+so+", which has one owner as a whole", "hand that over: "+so)
			return
		}
		next, message, hint := fieldSchema(s, name)
		if message != "" {
			c.reportAt(path, value+" leads to no field of "+child.Kind+": "+message, hint)
			return
		}
		s, so = next, so+"."+strings.ReplaceAll(name, ".", `\.`)
	}
}
