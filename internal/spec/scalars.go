package spec

import (
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/opgen-dev/opgen/internal/lazyregexp"
	"github.com/opgen-dev/opgen/internal/yamltext"
)

// text decodes a string that is a name, a path or one of a few words.
func (d *decoder) text(into *string) func(n *yaml.Node, path string) {
	return func(n *yaml.Node, path string) {
		if value, ok := d.str(n, path); ok {
			*into = value
		}
	}
}

// prose decodes a string in which any character may occur, so that YAML may have cut it short.
func (d *decoder) prose(into *string) func(n *yaml.Node, path string) {
	return func(n *yaml.Node, path string) {
		if value, ok := d.str(n, path); ok && d.whole(n, path) {
			*into = value
		}
	}
}

// texts decodes a list of strings.
func (d *decoder) texts(into *[]string) func(n *yaml.Node, path string) {
	return d.list(func(n *yaml.Node, path string) {
		if value, ok := d.str(n, path); ok {
			*into = append(*into, value)
		}
	})
}

// word decodes a string that must be one of a few.
func word[T ~string](d *decoder, into *T, accepted ...T) func(n *yaml.Node, path string) {
	return func(n *yaml.Node, path string) {
		value, ok := d.str(n, path)
		if !ok {
			return
		}
		if !slices.Contains(accepted, T(value)) {
			names := make([]string, len(accepted))
			for i, a := range accepted {
				names[i] = string(a)
			}
			d.fail(n, path, strconv.Quote(shorten(value))+" is not accepted", "accepted: "+strings.Join(names, ", "))
			return
		}
		*into = T(value)
	}
}

// str returns the value of a string scalar and reports everything else, also what only some YAML readers take
// for a string.
func (d *decoder) str(n *yaml.Node, path string) (string, bool) {
	if n.Kind != yaml.ScalarNode {
		d.fail(n, path, "expected text, got "+describe(n), colonHint(n))
		return "", false
	}
	if n.ShortTag() != "!!str" {
		d.fail(n, path, "expected text, got "+describe(n), "quote it: "+strconv.Quote(n.Value))
		return "", false
	}
	if other := yamltext.OtherThanText(n.Value); n.Style == 0 && other != "" {
		d.fail(n, path, n.Value+" is "+other+" to many YAML readers", "quote it: "+strconv.Quote(n.Value))
		return "", false
	}
	return n.Value, true
}

// colonHint explains a mapping on one line that was probably meant to be text with ": " inside.
func colonHint(n *yaml.Node) string {
	if n.Kind == yaml.MappingNode && n.Style&yaml.FlowStyle == 0 && len(n.Content) == 2 && n.Content[0].Line == n.Content[1].Line {
		return `": " in an unquoted value starts a mapping: quote the value`
	}
	return ""
}

// flag decodes a boolean.
func (d *decoder) flag(into *bool) func(n *yaml.Node, path string) {
	return func(n *yaml.Node, path string) {
		if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!bool" {
			d.fail(n, path, "expected true or false, got "+describe(n), "")
			return
		}
		*into = strings.EqualFold(n.Value, "true")
	}
}

var decimal = lazyregexp.New(`^[-+]?(0|[1-9][0-9]*)$`)

// count decodes an integer within limits.
func (d *decoder) count(into *int64, least, most int64) func(n *yaml.Node, path string) {
	return func(n *yaml.Node, path string) {
		if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!int" && !decimal().MatchString(n.Value) {
			d.fail(n, path, "expected an integer, got "+describe(n), "")
			return
		}
		value, err := strconv.ParseInt(n.Value, 10, 64)
		switch {
		case !decimal().MatchString(n.Value):
			d.fail(n, path, n.Value+" is not a plain decimal integer", "write it with the digits 0 to 9, without a leading zero")
		case n.Style != 0:
			d.fail(n, path, "expected an integer, got "+describe(n), "remove the quotes")
		case err != nil || value < least || value > most:
			d.fail(n, path, n.Value+" is out of range", "from "+strconv.FormatInt(least, 10)+" to "+strconv.FormatInt(most, 10))
		default:
			*into = value
		}
	}
}

// whole reports a plain scalar that YAML ended at a #: what follows may have been meant as text. A comment is
// told by at least two spaces before the # and one after it.
func (d *decoder) whole(n *yaml.Node, path string) bool {
	if n.Style != 0 {
		return true
	}
	rest := d.src.after(n)
	trimmed := strings.TrimLeft(rest, " \t")
	comment, found := strings.CutPrefix(trimmed, "#")
	if !found || len(rest)-len(trimmed) >= 2 && (comment == "" || strings.ContainsAny(comment[:1], " \t\r\n#")) {
		return true
	}
	d.failAt(d.src.place(len(d.src.text)-len(trimmed)), path, "YAML ends the value here, at \" #\", and drops what follows",
		"quote the value; a comment after it takes two spaces before the # and one after")
	return false
}

// float decodes a finite number.
func (d *decoder) float(into *float64) func(n *yaml.Node, path string) {
	return func(n *yaml.Node, path string) {
		tag := n.ShortTag()
		if n.Kind != yaml.ScalarNode || tag != "!!int" && tag != "!!float" {
			d.fail(n, path, "expected a number, got "+describe(n), "")
			return
		}
		raw, ok := number(n.Value)
		value, err := strconv.ParseFloat(raw, 64)
		if !ok || err != nil {
			d.fail(n, path, n.Value+" is not a finite decimal number", "")
			return
		}
		if _, same := NearestFloat(raw); !same {
			message, hint := inexact(n.Value)
			d.fail(n, path, message, hint)
			return
		}
		*into = value
	}
}

// at is the path of an element of a list.
func at(path string, index int) string {
	return path + "[" + strconv.Itoa(index) + "]"
}
