package spec

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// decodeJSON decodes any YAML value, such as a default, as JSON. It adds a problem, and returns
// false, for a number that Kubernetes would round, or that YAML readers understand in different
// ways, such as 010.
func (d *decoder) decodeJSON(n *yaml.Node, path string) (apiextv1.JSON, bool) {
	var b bytes.Buffer
	if !d.writeJSON(&b, n, path) {
		return apiextv1.JSON{}, false
	}
	return apiextv1.JSON{Raw: b.Bytes()}, true
}

func (d *decoder) writeJSON(b *bytes.Buffer, n *yaml.Node, path string) bool {
	switch n.Kind {
	case yaml.MappingNode:
		return d.writeObject(b, n, path)
	case yaml.SequenceNode:
		ok := true
		b.WriteByte('[')
		for i, item := range n.Content {
			if i > 0 {
				b.WriteByte(',')
			}
			ok = d.writeJSON(b, item, indexPath(path, i)) && ok
		}
		b.WriteByte(']')
		return ok
	}
	switch n.ShortTag() {
	case "!!null":
		b.WriteString("null")
	case "!!bool":
		b.WriteString(strings.ToLower(n.Value))
	case "!!int", "!!float":
		raw, ok := numberJSON(n.Value)
		if !ok {
			d.fail(n, path, n.Value+" is not a JSON number", "write decimal digits that fit 64 bits, or quote text")
			return false
		}
		if !isExact(raw) {
			message, hint := describeInexact(n.Value)
			d.fail(n, path, message, hint)
			return false
		}
		b.WriteString(raw)
	case "!!timestamp":
		d.fail(n, path, "expected a JSON value, got "+describeNode(n), "quote it: "+strconv.Quote(n.Value))
		return false
	default:
		value, ok := d.decodeText(n, path)
		if !ok || !d.isWhole(n, path) {
			return false
		}
		b.Write(quoteJSON(value))
	}
	return true
}

func (d *decoder) writeObject(b *bytes.Buffer, n *yaml.Node, path string) bool {
	ok, first := true, true
	b.WriteByte('{')
	before := len(d.problems)
	d.eachEntry(n, path, func(key, value *yaml.Node, path string) {
		if !first {
			b.WriteByte(',')
		}
		first = false
		b.Write(quoteJSON(key.Value))
		b.WriteByte(':')
		ok = d.writeJSON(b, value, path) && ok
	})
	b.WriteByte('}')
	return ok && len(d.problems) == before
}

// numberJSON returns a YAML number as JSON, and false if JSON cannot express it, such as .inf or
// 0x10.
func numberJSON(text string) (string, bool) {
	if decimal().MatchString(text) {
		text = strings.TrimPrefix(text, "+")
		_, err := strconv.ParseInt(text, 10, 64)
		return text, err == nil
	}
	if strings.ContainsAny(text, "_xXoObB") || len(text) > 1 && text[0] == '0' && !strings.ContainsAny(text, ".eE") {
		return "", false
	}
	value, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(value, 0) || math.IsNaN(value) {
		return "", false
	}
	if json.Valid([]byte(text)) {
		return text, true
	}
	raw, err := json.Marshal(value)
	return string(raw), err == nil
}

// quoteJSON returns text as a JSON string. Unlike json.Marshal, it does not escape <, > and &.
func quoteJSON(text string) []byte {
	var b bytes.Buffer
	encode := json.NewEncoder(&b)
	encode.SetEscapeHTML(false)
	if err := encode.Encode(text); err != nil { // cannot happen: a string has a JSON form
		return []byte(`""`)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
