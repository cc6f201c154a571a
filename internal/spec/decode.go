package spec

import (
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/opgen-dev/opgen/internal/lazyregexp"
	"github.com/opgen-dev/opgen/internal/yamltext"
)

// maxProblems limits the problems of one file. A file that is no spec file at all could have
// millions.
const maxProblems = 1000

// decoder decodes the nodes of one file, and collects the problems. Its methods take the path of a
// node for messages.
type decoder struct {
	file     string
	src      *source
	problems Problems
	types    namedTypeScope
	lenient  bool // paths may lead to no field, as the file accepts
}

func (d *decoder) failAt(pos Pos, path, message, hint string) {
	if len(d.problems) < maxProblems {
		d.problems = append(d.problems, Problem{Pos: pos, Path: path, Message: message, Hint: hint})
	}
}

func (d *decoder) fail(n *yaml.Node, path, message, hint string) {
	d.failAt(d.src.positionOf(n), path, message, hint)
}

// eachEntry calls visit with every key of a mapping, in the order of the file. It skips duplicates
// and keys that are no text, with a problem. It returns false if n is no mapping.
func (d *decoder) eachEntry(n *yaml.Node, path string, visit func(key, value *yaml.Node, path string)) bool {
	if n.Kind != yaml.MappingNode {
		d.fail(n, path, "expected a mapping, got "+describeNode(n), "")
		return false
	}
	seen := make(map[string]int, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if key.Kind != yaml.ScalarNode || key.ShortTag() != "!!str" {
			d.fail(key, path, "expected a name as key, got "+describeNode(key), "quote it")
			continue
		}
		path := joinPath(path, key.Value)
		if line, ok := seen[key.Value]; ok {
			d.fail(key, path, "duplicate key", "the first is on line "+strconv.Itoa(line))
			continue
		}
		seen[key.Value] = key.Line
		visit(key, value, path)
	}
	return true
}

// eachItem calls visit with every item of a list.
func (d *decoder) eachItem(n *yaml.Node, path string, visit func(n *yaml.Node, path string)) {
	if n.Kind != yaml.SequenceNode {
		d.fail(n, path, "expected a list, got "+describeNode(n), "")
		return
	}
	for i, item := range n.Content {
		path := indexPath(path, i)
		if yamltext.IsNull(item) {
			d.fail(item, path, "has no value", "write one, or remove the item")
			continue
		}
		visit(item, path)
	}
}

// decodeText returns the value of a string scalar. It adds a problem for any other node, and for
// text that only some YAML readers take for a string, such as yes.
func (d *decoder) decodeText(n *yaml.Node, path string) (text string, ok bool) {
	if n.Kind != yaml.ScalarNode {
		d.fail(n, path, "expected text, got "+describeNode(n), colonHint(n))
		return "", false
	}
	if n.ShortTag() != "!!str" {
		d.fail(n, path, "expected text, got "+describeNode(n), "quote it: "+strconv.Quote(n.Value))
		return "", false
	}
	if other := yamltext.OtherThanText(n.Value); n.Style == 0 && other != "" {
		d.fail(n, path, n.Value+" is "+other+" to many YAML readers", "quote it: "+strconv.Quote(n.Value))
		return "", false
	}
	return n.Value, true
}

// decodeWord returns a string scalar that must be one of the accepted words.
func (d *decoder) decodeWord(n *yaml.Node, path string, accepted []string) (word string, ok bool) {
	text, ok := d.decodeText(n, path)
	if !ok {
		return "", false
	}
	if !slices.Contains(accepted, text) {
		d.fail(n, path, quoteShort(text)+" is not accepted", "accepted: "+strings.Join(accepted, ", "))
		return "", false
	}
	return text, true
}

// isWhole reports whether a plain scalar is all of the text that its author wrote. YAML ends a
// scalar at " #", so that "color: red #1" has the value red. isWhole adds a problem for this,
// unless what follows looks like a comment: two spaces or more before the #, and one after it.
func (d *decoder) isWhole(n *yaml.Node, path string) bool {
	if n.Style != 0 {
		return true
	}
	rest := d.src.textAfter(n)
	trimmed := strings.TrimLeft(rest, " \t")
	comment, found := strings.CutPrefix(trimmed, "#")
	if !found || len(rest)-len(trimmed) >= 2 && (comment == "" || strings.ContainsAny(comment[:1], " \t\r\n#")) {
		return true
	}
	d.failAt(d.src.positionAt(len(d.src.text)-len(trimmed)), path, "YAML ends the value here, at \" #\", and drops what follows",
		"quote the value; a comment after it takes two spaces before the # and one after")
	return false
}

// lookupKey returns the key and the value of an entry of a mapping, or nil.
func lookupKey(n *yaml.Node, name string) (key, value *yaml.Node) {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil, nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return n.Content[i], n.Content[i+1]
		}
	}
	return nil, nil
}

// decodeBool decodes a boolean.
func (d *decoder) decodeBool(into *bool, n *yaml.Node, path string) {
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!bool" {
		d.fail(n, path, "expected true or false, got "+describeNode(n), "")
		return
	}
	*into = strings.EqualFold(n.Value, "true")
}

var decimal = lazyregexp.New(`^[-+]?(0|[1-9][0-9]*)$`)

// decodeInteger decodes an integer within limits. It returns false after adding a problem.
func (d *decoder) decodeInteger(into *int64, least, most int64, n *yaml.Node, path string) bool {
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!int" && !decimal().MatchString(n.Value) {
		d.fail(n, path, "expected an integer, got "+describeNode(n), "")
		return false
	}
	integer, err := strconv.ParseInt(n.Value, 10, 64)
	switch {
	case !decimal().MatchString(n.Value):
		d.fail(n, path, n.Value+" is not a plain decimal integer", "write it with the digits 0 to 9, without a leading zero")
	case n.Style != 0:
		d.fail(n, path, "expected an integer, got "+describeNode(n), "remove the quotes")
	case err != nil || integer < least || integer > most:
		d.fail(n, path, n.Value+" is out of range", "from "+strconv.FormatInt(least, 10)+" to "+strconv.FormatInt(most, 10))
	default:
		*into = integer
		return true
	}
	return false
}

// decodeFloat decodes a finite number.
func (d *decoder) decodeFloat(into *float64, n *yaml.Node, path string) {
	tag := n.ShortTag()
	if n.Kind != yaml.ScalarNode || tag != "!!int" && tag != "!!float" {
		d.fail(n, path, "expected a number, got "+describeNode(n), "")
		return
	}
	raw, ok := numberJSON(n.Value)
	number, err := strconv.ParseFloat(raw, 64)
	if !ok || err != nil {
		d.fail(n, path, n.Value+" is not a finite decimal number", "")
		return
	}
	if _, same := NearestFloat(raw); !same {
		message, hint := describeInexact(n.Value)
		d.fail(n, path, message, hint)
		return
	}
	*into = number
}
