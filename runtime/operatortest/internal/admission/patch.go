package admission

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// mutation is a change of objects by [Fixtures.Mutate]. One of its fields is set.
type mutation struct {
	operations []byte         // a JSON patch
	merge      map[string]any // a JSON merge patch
}

// parsePatch reads a JSON patch or a JSON merge patch.
func parsePatch(patch string) (mutation, error) {
	var operations []map[string]any
	if json.Unmarshal([]byte(patch), &operations) == nil && operations != nil {
		return mutation{operations: []byte(patch)}, nil
	}
	merge, err := parseExactly([]byte(patch))
	if err != nil || merge == nil {
		return mutation{}, fmt.Errorf("%q is no JSON patch, which is a list, and no JSON merge patch, which is an object", patch)
	}
	return mutation{merge: merge}, nil
}

// answerFor returns the webhook's answer for an object.
func (m mutation) answerFor(object []byte) (admissionAnswer, error) {
	if m.operations != nil {
		return admissionAnswer{patch: m.operations}, nil
	}
	before, err := parseExactly(object)
	if err != nil {
		return admissionAnswer{}, fmt.Errorf("read the object of an admission review: %w", err)
	}
	after, _ := mergePatch(before, m.merge).(map[string]any)
	type operation struct {
		Op    string `json:"op"`
		Path  string `json:"path"`
		Value any    `json:"value,omitempty"`
	}
	var operations []operation
	for _, key := range slices.Sorted(maps.Keys(m.merge)) {
		path := "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(key)
		was, had := before[key]
		value, has := after[key]
		switch {
		case has && (!had || !reflect.DeepEqual(was, value)):
			operations = append(operations, operation{"add", path, value}) // it replaces an existing value, too
		case had && !has:
			operations = append(operations, operation{"remove", path, nil})
		}
	}
	if operations == nil {
		return admissionAnswer{}, nil
	}
	patch, err := json.Marshal(operations)
	return admissionAnswer{patch: patch}, err
}

// parseExactly reads an object and keeps numbers as they are written.
func parseExactly(data []byte) (object map[string]any, err error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	err = decoder.Decode(&object)
	return object, err
}

// mergePatch returns a value changed by a JSON merge patch (RFC 7386). It does not change the
// argument.
func mergePatch(value, patch any) any {
	changes, ok := patch.(map[string]any)
	if !ok {
		return patch
	}
	merged := map[string]any{}
	if before, ok := value.(map[string]any); ok {
		maps.Copy(merged, before)
	}
	for key, change := range changes {
		if change == nil {
			delete(merged, key)
			continue
		}
		merged[key] = mergePatch(merged[key], change)
	}
	return merged
}
