package yamltext

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// TestDecoder reads what YAML and JSON have and the YAML library refuses. Each value has its place behind it.
func TestDecoder(t *testing.T) {
	for _, tc := range []struct{ name, given, want string }{
		{"version 1.2", "%YAML 1.2\n---\na: b\n", "a 3:1, b 3:4"},
		{"version 1.2 after a comment, with more behind it", "# c\n\n%TAG !e! tag:e,2000:\n%YAML  1.2 # d\n---\na: b\n", "a 6:1, b 6:4"},
		{"version 1.2 of each document", "%YAML 1.2\n---\na\n...\n%YAML 1.2\n---\nb\n", "a 3:1, b 7:1"},
		{"version 1.1", "%YAML 1.1\n---\na: b\n", "a 3:1, b 3:4"},
		{"text that looks like it", "a: |\n  %YAML 1.2\nb: '\n  %YAML 1.2'\n", "a 1:1, %YAML 1.2\n 1:4, b 3:1,  %YAML 1.2 3:4"},
		{"a surrogate pair", `{"a\ud83d\uDE00b": "\uD83D\ude00\u00e9", "c": 1}`, "a😀b 1:2, 😀é 1:20, c 1:42, 1 1:47"},
		{"pairs in a row", `["\ud83d\ude00\ud83d\ude01"]`, "😀😁 1:2"},
		{"no escapes", `['\ud83d\uDE00', \ud83d\uDE00, "\\ud83d\\uDE00"]` + " # \\ud83d\\ude00", `\ud83d\uDE00 1:2, \ud83d\uDE00 1:18, \ud83d\uDE00 1:32`},
		{"half a pair", `["\ud83d"]`, "yaml: found invalid Unicode character escape code"},
		{"half a pair behind a backslash", `["\\ud83d\ude00"]`, "yaml: found invalid Unicode character escape code"},
		{"halves the wrong way round", `["\ude00\ud83d"]`, "yaml: found invalid Unicode character escape code"},
		{"private characters", `["\ue83d\uee00"]`, "\ue83d\uee00 1:2"},
		{"private characters beside a pair", `["\ue83d\uee00\ud83d\ude00"]`, "yaml: found invalid Unicode character escape code"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := scalarsOf(tc.given); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

// scalarsOf returns the scalars of all documents with their places, or the error.
func scalarsOf(text string) string {
	var found []string
	decode := NewDecoder(text)
	for {
		var n yaml.Node
		err := decode.Decode(&n)
		if errors.Is(err, io.EOF) {
			return strings.Join(found, ", ")
		}
		if err != nil {
			return err.Error()
		}
		found = appendScalars(found, &n)
	}
}

func appendScalars(found []string, n *yaml.Node) []string {
	if n.Kind == yaml.ScalarNode {
		return append(found, fmt.Sprintf("%s %d:%d", n.Value, n.Line, n.Column))
	}
	for _, below := range n.Content {
		found = appendScalars(found, below)
	}
	return found
}
