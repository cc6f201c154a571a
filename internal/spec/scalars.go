package spec

import (
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/opgen-dev/opgen/internal/lazyregexp"
)

// decodeBool decodes a boolean.
func (d *decoder) decodeBool(into *bool, n *yaml.Node, path string) {
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!bool" {
		d.fail(n, path, "expected true or false, got "+describeNode(n), "")
		return
	}
	*into = strings.EqualFold(n.Value, "true")
}

var decimal = lazyregexp.New(`^[-+]?(0|[1-9][0-9]*)$`)

// decodeInteger decodes an integer within limits. It reports false after an error.
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
