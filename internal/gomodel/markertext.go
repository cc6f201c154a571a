package gomodel

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/opgen-dev/opgen/internal/lazyregexp"
)

// enumItem returns a value in the syntax of an enum marker.
func enumItem(raw []byte) string {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return string(raw)
	}
	return markerWord(text)
}

var plainWord = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]*$`)

// markerWord returns a string without quotes if the syntax of markers allows it.
func markerWord(s string) string {
	if plainWord().MatchString(s) && s != "true" && s != "false" {
		return s
	}
	return quoteText(s)
}

// quoteText returns a string in the syntax of markers. It is a raw string if that is possible,
// because raw strings are easier to read.
func quoteText(s string) string {
	if strings.ContainsAny(s, `"\`) && strconv.CanBackquote(s) {
		return "`" + s + "`"
	}
	return strconv.Quote(s)
}

// oneLine returns JSON without line breaks, so that it fits into a comment.
func oneLine(raw []byte) string {
	var out bytes.Buffer
	if json.Compact(&out, raw) != nil {
		return "null"
	}
	return strings.ReplaceAll(out.String(), "\ufeff", `\ufeff`)
}

// IsScalar reports whether JSON is a string, a number or a boolean.
func IsScalar(raw []byte) bool {
	trimmed := bytes.TrimSpace(raw)
	return len(trimmed) > 0 && trimmed[0] != '{' && trimmed[0] != '[' && string(trimmed) != "null"
}
