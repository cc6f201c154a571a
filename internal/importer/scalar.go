package importer

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/opgen-dev/opgen/internal/lazyregexp"
	"github.com/opgen-dev/opgen/internal/spec"
	"github.com/opgen-dev/opgen/internal/yamltext"
)

// cleanValue returns a value as JSON would have it: 0x10 becomes 16, and a date becomes text.
func cleanValue(n *yaml.Node) *yaml.Node {
	if n == nil {
		return nil
	}
	if n.Kind == yaml.ScalarNode {
		switch n.ShortTag() {
		case "!!int", "!!float", "!!bool":
			return &yaml.Node{Kind: yaml.ScalarNode, Tag: n.ShortTag(), Value: scalarValue(n)}
		case "!!null":
			return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "null"}
		}
		return textNode(n.Value)
	}
	out := &yaml.Node{Kind: n.Kind, Line: n.Line, Column: n.Column}
	for i, child := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 {
			out.Content = append(out.Content, textNode(child.Value))
			continue
		}
		out.Content = append(out.Content, cleanValue(child))
	}
	return out
}

var decimal = lazyregexp.New(`^-?(0|[1-9][0-9]*)$`)

// scalarValue returns a number, a boolean or null as JSON. It rounds numbers as the API server
// does, which stores them as int64 or float64.
func scalarValue(n *yaml.Node) string {
	switch n.ShortTag() {
	case "!!bool":
		return strings.ToLower(n.Value)
	case "!!int":
		var whole int64
		if decimal().MatchString(n.Value) {
			if _, err := strconv.ParseInt(n.Value, 10, 64); err == nil {
				return n.Value
			}
		} else if n.Decode(&whole) == nil {
			return strconv.FormatInt(whole, 10)
		}
	case "!!float":
		if _, same := spec.NearestFloat(n.Value); same && json.Valid([]byte(n.Value)) {
			return n.Value
		}
	case "!!null":
		return "null"
	}
	var number float64
	if n.Decode(&number) != nil {
		return n.Value
	}
	nearest, _ := spec.NearestFloat(strconv.FormatFloat(number, 'g', -1, 64))
	if !json.Valid([]byte(nearest)) {
		return n.Value // the parser of spec files reports it
	}
	return nearest
}

// textValue returns a text as YAML: plain if possible, otherwise in quotes or as a block. In flow
// style (within), more texts need quotes, and there are no blocks.
func textValue(value, indent string, inFlow bool) string {
	switch {
	case isPlain(value, inFlow):
		return value
	case !spec.IsVisible(value) || strings.ContainsAny(value, "\r\t"):
		return escapeText(value)
	case strings.Contains(value, "\n"):
		if inFlow || !isBlock(value) {
			return escapeText(value)
		}
		return blockText(value, indent)
	case !strings.ContainsAny(value, `"\`):
		return `"` + value + `"`
	}
	return "'" + strings.ReplaceAll(value, "'", "''") + "'"
}

func isPlain(value string, inFlow bool) bool {
	switch {
	case !startsPlain(value), strings.HasSuffix(value, " "), strings.HasSuffix(value, ":"):
		return false
	case strings.Contains(value, ": "), strings.Contains(value, " #"), strings.ContainsAny(value, "\r\t\n"):
		return false
	case inFlow && strings.ContainsAny(value, ",[]{}"), inFlow && strings.Contains(value, ":"):
		return false
	case strings.HasPrefix(value, "---"), strings.HasPrefix(value, "..."), !spec.IsVisible(value):
		return false
	}
	return yamltext.IsText(value)
}

// startsPlain reports whether a text starts with a letter, a digit or another character without a
// meaning in YAML.
func startsPlain(value string) bool {
	if value == "" {
		return false
	}
	first := value[0]
	return first >= 'A' && first <= 'Z' || first >= 'a' && first <= 'z' || first >= '0' && first <= '9' ||
		strings.IndexByte(`_./$^(\<`, first) >= 0
}

// isBlock reports whether a text of several lines can be a literal block. If the first line began
// with a space, the block would need an indentation indicator.
func isBlock(value string) bool {
	first, _, _ := strings.Cut(value, "\n")
	return first != "" && first[0] != ' ' && strings.Trim(value, "\n ") != ""
}

// blockText returns a text as a literal block. Its header, |-, | or |+, depends on the newlines at
// the end of the text.
func blockText(value, indent string) string {
	body := strings.TrimRight(value, "\n")
	header := "|-"
	switch len(value) - len(body) {
	case 0:
	case 1:
		header = "|"
	default:
		header = "|+"
		body = value[:len(value)-1]
	}
	var b strings.Builder
	b.WriteString(header)
	for line := range strings.SplitSeq(body, "\n") {
		b.WriteByte('\n')
		if line != "" {
			b.WriteString(indent + line)
		}
	}
	return b.String()
}

// escapeText returns a text in double quotes, with escapes for invisible characters.
func escapeText(value string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range value {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\r':
			b.WriteString(`\r`)
		case !spec.IsVisible(string(r)):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
