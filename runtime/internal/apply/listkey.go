package apply

import (
	"slices"
	"strconv"
	"strings"

	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// listKey is one of the fields by which managedFields identifies an item of a list, with its value
// as JSON.
type listKey struct{ name, value string }

// parseListKeys reads the keys in a step, which follow "k:" as a flat JSON object. Most of them,
// such as {"containerPort":8080,"protocol":"TCP"}, need no JSON decoder.
func parseListKeys(text string) ([]listKey, bool) {
	if keys, ok := parsePlainKeys(text); ok {
		return keys, true
	}
	var fields map[string]any
	if utiljson.Unmarshal([]byte(text), &fields) != nil {
		return nil, false
	}
	keys := make([]listKey, 0, len(fields))
	for name, value := range fields {
		err := encodeJSON(value, func(text []byte) { keys = append(keys, listKey{name, string(text)}) })
		if err != nil {
			return nil, false
		}
	}
	slices.SortFunc(keys, func(a, b listKey) int { return strings.Compare(a.name, b.name) })
	return keys, true
}

// parsePlainKeys reads an object without spaces and escaped characters.
func parsePlainKeys(text string) (keys []listKey, ok bool) {
	text, ok = strings.CutPrefix(text, "{")
	if text, closed := strings.CutSuffix(text, "}"); ok && closed {
		for field := range strings.SplitSeq(text, ",") {
			name, value, _ := strings.Cut(field, ":")
			if !isPlainValue(name) || name[0] != '"' || !isPlainValue(value) {
				return nil, false
			}
			keys = append(keys, listKey{name[1 : len(name)-1], value})
		}
		return keys, true
	}
	return nil, false
}

// isPlainValue reports whether a JSON text is a string without special characters, an integer or a
// boolean.
func isPlainValue(value string) bool {
	if len(value) > 2 && value[0] == '"' && value[len(value)-1] == '"' {
		return !strings.ContainsAny(value[1:len(value)-1], "\"\\ ,:{}[]<>&") && isASCII(value)
	}
	if value == "true" || value == "false" {
		return true
	}
	number, err := strconv.ParseInt(value, 10, 64)
	return err == nil && strconv.FormatInt(number, 10) == value
}

func isASCII(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' })
}

// matches reports whether a value is the key's.
func (k listKey) matches(value any) bool {
	switch value := value.(type) {
	case string:
		if len(k.value) == len(value)+2 && k.value[0] == '"' && k.value[1:len(k.value)-1] == value {
			return true
		}
	case int64:
		if k.value == strconv.FormatInt(value, 10) {
			return true
		}
	}
	same := false
	err := encodeJSON(value, func(text []byte) { same = string(text) == k.value })
	return err == nil && same
}

// otherProtocols are the protocols of ports that differ from the default.
var otherProtocols = []string{`"UDP"`, `"SCTP"`}

// mayBeLeftOut reports whether the key's value may be a default.
func (k listKey) mayBeLeftOut() bool {
	return k.name != "protocol" || !slices.Contains(otherProtocols, k.value)
}
