package apply

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// hidden stands in an error for a value that nobody may read there.
const hidden = "(hidden)"

// shortest is how long a value must be to be found outside of quotes: a shorter one
// may be a part of any word.
const shortest = 6

// hiddenError is an error without the values that nobody may read in a condition, an
// Event or a log.
type hiddenError struct {
	error
	text string
}

func (e hiddenError) Error() string { return e.text }

// Unwrap returns the error with them.
func (e hiddenError) Unwrap() error { return e.error }

func (d Desired) isSecret() bool {
	return d.Kind == schema.GroupVersionKind{Version: "v1", Kind: "Secret"}
}

// withoutData returns the content of a Secret without the values of its data.
func withoutData(content map[string]any) map[string]any {
	data, _ := content["data"].(map[string]any)
	keys := make(map[string]any, len(data))
	for key := range data {
		keys[key] = ""
	}
	content = maps.Clone(content)
	content["data"] = keys
	return content
}

// IsOutdated reports whether a live child is not of the desired state that is to reach
// it: it carries another hash, or is a Secret with other data.
func (d Desired) IsOutdated(live client.Object) bool {
	if live.GetAnnotations()[d.HashKey] != d.Hash {
		return true
	}
	if _, partial := live.(*metav1.PartialObjectMetadata); partial || !d.isSecret() {
		return false
	}
	content, err := contentOf(live)
	data, desires := d.content()["data"]
	return err == nil && desires && !includes(content["data"], data)
}

// hideSecrets takes from the text of an error the data of a Secret and the values of
// environment variables, desired ones and those of the child: the API server quotes
// what it refuses, and prints whole objects.
func hideSecrets(err error, d Desired, live client.Object) error {
	if err == nil {
		return nil
	}
	values := map[string]bool{}
	addSecrets(values, d.Kind, d.content())
	if live != nil {
		if content, err := contentOf(live); err == nil {
			addSecrets(values, d.Kind, content)
		}
	}
	if len(values) == 0 {
		return err
	}
	text, dump, _ := strings.Cut(err.Error(), "\n") // what follows is an object, or how two differ
	if dump != "" {
		text += " …"
	}
	ordered := make([]string, 0, len(values))
	for value := range values {
		ordered = append(ordered, value)
	}
	slices.SortFunc(ordered, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) }) // one may be a part of another
	for _, value := range ordered {
		text = hide(text, value, d.Name.Name)
	}
	if text == err.Error() {
		return err
	}
	return hiddenError{err, text}
}

// hide takes a value from a text, unless it is the child's name.
func hide(text, value, name string) string {
	if value == "" || value == name {
		return text
	}
	quoted := []string{strconv.Quote(value)}
	if encoded, err := json.Marshal(value); err == nil {
		quoted = append(quoted, string(encoded))
	}
	for _, form := range quoted {
		text = strings.ReplaceAll(text, form, strconv.Quote(hidden))
		if len(value) >= shortest { // also within a text that is quoted itself
			text = strings.ReplaceAll(text, form[1:len(form)-1], hidden)
		}
	}
	if len(value) >= shortest {
		text = strings.ReplaceAll(text, value, hidden)
	}
	return text
}

// addSecrets adds the values in an object that are secret.
func addSecrets(values map[string]bool, kind schema.GroupVersionKind, content map[string]any) {
	if kind.Group == "" && kind.Kind == "Secret" {
		data, _ := content["data"].(map[string]any)
		for _, value := range data {
			text := fmt.Sprint(value)
			values[text] = true
			if decoded, err := base64.StdEncoding.DecodeString(text); err == nil {
				values[string(decoded)] = true
			}
		}
	}
	addEnv(values, content)
}

// addEnv adds the values of environment variables, wherever they are.
func addEnv(values map[string]bool, value any) {
	switch value := value.(type) {
	case map[string]any:
		variables, _ := value["env"].([]any)
		for _, variable := range variables {
			if text := field(variable, "value"); text != nil {
				values[fmt.Sprint(text)] = true
			}
		}
		for _, below := range value {
			addEnv(values, below)
		}
	case []any:
		for _, item := range value {
			addEnv(values, item)
		}
	}
}
