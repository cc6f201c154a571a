package apply

import (
	"strconv"
	"strings"

	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// listKey is one of the fields by which managedFields tells the items of a list
// apart, with its value as JSON.
type listKey struct{ name, value string }

// listKeys reads what follows "k:" in a step: a flat JSON object. Most of them
// need no JSON decoder: {"containerPort":8080,"protocol":"TCP"}.
func listKeys(text string) ([]listKey, bool) {
	if keys, ok := plainKeys(text); ok {
		return keys, true
	}
	var fields map[string]any
	if utiljson.Unmarshal([]byte(text), &fields) != nil {
		return nil, false
	}
	keys := make([]listKey, 0, len(fields))
	for name, value := range fields {
		err := encode(value, func(text []byte) { keys = append(keys, listKey{name, string(text)}) })
		if err != nil {
			return nil, false
		}
	}
	return keys, true
}

// plainKeys reads an object without spaces and without anything that is escaped
// or holds a character with a meaning.
func plainKeys(text string) (keys []listKey, ok bool) {
	text, ok = strings.CutPrefix(text, "{")
	if text, closed := strings.CutSuffix(text, "}"); ok && closed {
		for field := range strings.SplitSeq(text, ",") {
			name, value, _ := strings.Cut(field, ":")
			if !plain(name) || name[0] != '"' || !plain(value) {
				return nil, false
			}
			keys = append(keys, listKey{name[1 : len(name)-1], value})
		}
		return keys, true
	}
	return nil, false
}

// plain tells whether this is a text in quotes, a whole number or a truth, none
// of them with anything special in it.
func plain(value string) bool {
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

// is tells whether a value is this one.
func (k listKey) is(value any) bool {
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
	err := encode(value, func(text []byte) { same = string(text) == k.value })
	return err == nil && same
}
