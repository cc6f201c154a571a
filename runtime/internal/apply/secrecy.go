package apply

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
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
// be part of any word. mostLines is how many lines of a value are hidden one by one.
const (
	shortest  = 6
	mostLines = 1_000
)

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

// hideSecrets removes secret values from the text of an error: the data of a Secret, the values of environment variables,
// and arguments of containers, desired and live. The API server quotes values that it refuses, and prints whole objects.
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
	text, dump, _ := strings.Cut(hideValues(err.Error(), values, d.Name.Name), "\n") // the other lines hold an object or a diff
	if dump != "" {
		text += " …"
	}
	if text == err.Error() {
		return err
	}
	return hiddenError{err, text}
}

// hideValues removes values and their lines from a text, in the forms in which programs quote and encode them. The name of
// the child stays.
func hideValues(text string, values map[string]bool, name string) string {
	instead := map[string]string{}
	for value := range values {
		for _, part := range append(strings.SplitN(value, "\n", mostLines), value) {
			if part == name {
				continue
			}
			encoded, _ := json.Marshal(part) // a string has JSON
			for _, quoted := range []string{strconv.Quote(part), string(encoded)} {
				instead[quoted], instead[quoted[1:len(quoted)-1]] = strconv.Quote(hidden), hidden // also within a quoted text
			}
			plain := []byte(part)
			for _, form := range []string{part, base64.RawStdEncoding.EncodeToString(plain), base64.RawURLEncoding.EncodeToString(plain), url.QueryEscape(part), url.PathEscape(part)} {
				instead[form] = hidden
			}
		}
	}
	maps.DeleteFunc(instead, func(form, by string) bool { return form == `""` || len(form) < shortest && by == hidden })
	forms := slices.SortedFunc(maps.Keys(instead), func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) }) // a longer one may contain a shorter one
	var pairs []string
	for _, form := range forms {
		pairs = append(pairs, form, instead[form])
	}
	return strings.NewReplacer(pairs...).Replace(text)
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
	addContainerValues(values, content)
}

// addContainerValues adds the values of environment variables, and arguments of containers, anywhere in a value. Short arguments are
// words of any program.
func addContainerValues(values map[string]bool, value any) {
	switch value := value.(type) {
	case map[string]any:
		variables, _ := value["env"].([]any)
		for _, variable := range variables {
			if text := fieldValue(variable, "value"); text != nil {
				values[fmt.Sprint(text)] = true
			}
		}
		args, _ := value["args"].([]any)
		command, _ := value["command"].([]any)
		for _, arg := range slices.Concat(args, command) {
			_, option, _ := strings.Cut(fmt.Sprint(arg), "=")
			for _, text := range []string{fmt.Sprint(arg), option} {
				if len(text) >= shortest {
					values[text] = true
				}
			}
		}
		for _, below := range value {
			addContainerValues(values, below)
		}
	case []any:
		for _, item := range value {
			addContainerValues(values, item)
		}
	}
}
