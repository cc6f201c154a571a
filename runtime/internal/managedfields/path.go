package managedfields

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/opgen-dev/opgen/runtime/internal/jsonpatch"
)

// String returns the path as messages name it, such as spec.ports[port=80,protocol=TCP].name.
func (p *Node) String() string {
	if p.Parent == nil {
		return ""
	}
	path, name := p.Parent.String(), p.Element.FieldName
	switch {
	case name == nil:
		return path + "[" + selection(p.Element) + "]"
	case strings.ContainsAny(*name, "./"):
		return fmt.Sprintf("%s[%q]", path, *name)
	case path == "":
		return *name
	}
	return path + "." + *name
}

// selection returns the keys or the value by which an element selects an item.
func selection(element fieldpath.PathElement) string {
	switch {
	case element.Value != nil:
		return plainText((*element.Value).Unstructured())
	case element.Key == nil:
		return strings.Trim(element.String(), "[]")
	}
	texts := make([]string, len(*element.Key))
	for i, key := range *element.Key {
		texts[i] = key.Name + "=" + plainText(key.Value.Unstructured())
	}
	return strings.Join(texts, ",")
}

// plainText returns a value without quotes.
func plainText(value any) string { return strings.TrimPrefix(string(appendScalar(nil, value)), `"`) }

// appendScalar appends a string, a number or a boolean. Numbers of different Go types have the same
// text, and no string has that of another value.
func appendScalar(text []byte, value any) []byte {
	switch value := value.(type) {
	case string:
		return append(append(text, '"'), value...)
	case int64:
		return strconv.AppendInt(text, value, 10)
	case float64:
		if value == math.Trunc(value) && math.Abs(value) < 1<<53 {
			return strconv.AppendInt(text, int64(value), 10)
		}
	}
	return fmt.Append(text, value)
}

// Path returns the elements of the path.
func (p *Node) Path() (path fieldpath.Path) {
	for ; p.Parent != nil; p = p.Parent {
		path = append(path, p.Element)
	}
	slices.Reverse(path)
	return path
}

// Pointer returns the path in the live object as a JSON pointer.
func (p *Node) Pointer() string {
	switch {
	case p.Parent == nil:
		return ""
	case p.Element.FieldName == nil:
		return p.Parent.Pointer() + "/" + strconv.Itoa(p.Live.Index)
	}
	return p.Parent.Pointer() + "/" + jsonpatch.Escape(*p.Element.FieldName)
}

// IsItem reports whether the path leads to an item of a list.
func (p *Node) IsItem() bool { return p.Parent != nil && p.Element.FieldName == nil }
