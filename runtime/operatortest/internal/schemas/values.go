package schemas

import (
	"encoding/base64"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime"
)

// Others returns values that may be valid in place of a value with this schema, the likeliest first.
// The API server decides which of them are.
func (s Schema) Others(value any) []any {
	found := slices.Clone(s.Enum())
	if len(found) == 0 {
		found = s.likely(value)
	}
	return slices.DeleteFunc(found, func(other any) bool { return fmt.Sprint(other) == fmt.Sprint(value) })
}

func (s Schema) likely(value any) []any {
	switch value := value.(type) {
	case bool:
		return []any{!value}
	case int64:
		numbers := []any{value + 1, value - 1, value * 2, int64(1), int64(0)}
		if s.IsIntOrString() {
			return append(numbers, "other", "50%")
		}
		return numbers
	case float64:
		return []any{value + 1, value / 2, value - 1}
	case string:
		return s.texts(value)
	}
	return nil
}

// texts returns other strings, some of which are valid in place of a string.
func (s Schema) texts(text string) (found []any) {
	switch s.Format() {
	case "byte":
		return []any{base64.StdEncoding.EncodeToString([]byte("other " + text))}
	case "date-time":
		return []any{"2031-02-03T04:05:06Z"}
	}
	if s.IsIntOrString() {
		return []any{text + "x", int64(8081), "30%"}
	}
	if quantity, err := resource.ParseQuantity(text); err == nil {
		double := quantity.DeepCopy()
		double.Add(quantity)
		found = append(found, double.String())
	}
	if fields := strings.Fields(text); len(fields) == 5 {
		found = append(found, "7 "+strings.Join(fields[1:], " "))
	}
	if _, err := netip.ParsePrefix(text); err == nil {
		found = append(found, "10.98.0.0/16")
	}
	if strings.HasPrefix(text, "spec.") || strings.HasPrefix(text, "metadata.") {
		found = append(found, "metadata.name", "metadata.namespace")
	}
	if strings.HasPrefix(text, "limits.") || strings.HasPrefix(text, "requests.") {
		found = append(found, "limits.memory")
	}
	return append(found, text+"-other", text+"other", "other", "other."+text, "Other", "/other", "OTHER")
}

// NewItems returns another item for a list with this schema, made from one of its items: with other keys,
// and other names, which may have to be unique.
func (s Schema) NewItems(like any) []any {
	object, ok := like.(map[string]any)
	if !ok {
		return s.Items().Others(like)
	}
	unique := s.Keys()
	if len(unique) == 0 {
		unique = []string{"name", "path", "host", "key", "port"}
	}
	var made []any
	for attempt := range 8 {
		item, changed := runtime.DeepCopyJSON(object), unique
		if attempt%2 == 1 {
			changed = append(slices.Clip(unique), "name")
		}
		for _, key := range changed {
			options := s.Items().Field(key).Others(item[key])
			if _, has := item[key]; has && len(options) > 0 {
				item[key] = options[attempt/2%len(options)]
			}
		}
		made = append(made, item)
	}
	return append(made, runtime.DeepCopyJSON(object))
}

// NewEntries returns keys that a map with this schema may accept, and values for them.
func (s Schema) NewEntries(like any) (keys []string, values []any) {
	keys = []string{"other", "example.com/other", "memory", "ephemeral-storage"}
	if like == nil {
		like = "other"
	}
	values = append(s.Field("other").Others(like), like)
	if _, isObject := like.(map[string]any); isObject {
		values = []any{like}
	}
	if len(values) > 2 {
		values = values[:2]
	}
	return keys, values
}
