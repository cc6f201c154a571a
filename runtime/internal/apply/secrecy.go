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

// hidden replaces a secret value in an error.
const hidden = "(hidden)"

// shortest is the length from which a value is hidden outside of quotes, too. A shorter value may
// be part of any word.
const shortest = 6

// hiddenError is an error without the values that conditions, Events and logs must not show.
type hiddenError struct {
	error
	text string
}

func (e hiddenError) Error() string { return e.text }

// Unwrap returns the error with the values.
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

// IsOutdated reports whether a live child has another desired state: another hash, or, if it is a
// Secret, other data.
func (d Desired) IsOutdated(live client.Object) bool {
	if live.GetAnnotations()[d.HashKey] != d.Hash {
		return true
	}
	if _, partial := live.(*metav1.PartialObjectMetadata); partial || !d.isSecret() {
		return false
	}
	content, err := contentOf(live)
	data, desires := d.content()["data"]
	return err == nil && desires && !includesValue(content["data"], data)
}

// hideSecrets removes secret values from the text of an error: the data of a Secret and the values
// of environment variables, desired and live. The API server quotes values that it refuses, and
// prints whole objects.
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
	text, dump, _ := strings.Cut(err.Error(), "\n") // the other lines hold an object or a diff
	if dump != "" {
		text += " …"
	}
	ordered := make([]string, 0, len(values))
	for value := range values {
		ordered = append(ordered, value)
	}
	slices.SortFunc(ordered, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) }) // a longer value may contain a shorter one
	for _, value := range ordered {
		text = hideValue(text, value, d.Name.Name)
	}
	if text == err.Error() {
		return err
	}
	return hiddenError{err, text}
}

// hideValue removes a value from a text, unless it is the child's name.
func hideValue(text, value, name string) string {
	if value == "" || value == name {
		return text
	}
	quoted := []string{strconv.Quote(value)}
	if encoded, err := json.Marshal(value); err == nil {
		quoted = append(quoted, string(encoded))
	}
	for _, form := range quoted {
		text = strings.ReplaceAll(text, form, strconv.Quote(hidden))
		if len(value) >= shortest { // also within a quoted text
			text = strings.ReplaceAll(text, form[1:len(form)-1], hidden)
		}
	}
	if len(value) >= shortest {
		text = strings.ReplaceAll(text, value, hidden)
	}
	return text
}

// addSecrets adds the secret values of an object.
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

// addEnv adds the values of environment variables anywhere in a value.
func addEnv(values map[string]bool, value any) {
	switch value := value.(type) {
	case map[string]any:
		variables, _ := value["env"].([]any)
		for _, variable := range variables {
			if text := fieldValue(variable, "value"); text != nil {
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
