package diff

import (
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// hidden replaces a secret value in a test's output.
const hidden = "(hidden)"

// HideSecrets removes the data of Secrets and the values of environment variables from differences.
// Their paths stay.
func HideSecrets(differences []Difference, secret bool) []Difference {
	differences = slices.Clone(differences)
	for i, d := range differences {
		differences[i].Expected, differences[i].Got = HideValue(d.Path, d.Expected, secret), HideValue(d.Path, d.Got, secret)
	}
	return differences
}

// HideValue returns a value at a path of an object, or its replacement if it is secret.
func HideValue(path string, value any, secret bool) any {
	first, _, _ := strings.Cut(strings.ReplaceAll(path, "[", "."), ".")
	inEnv := strings.HasSuffix(path, "]") && strings.HasSuffix(path[:strings.LastIndex(path, "[")+1], "env[")
	isValue := strings.HasSuffix(path, "].value") && strings.HasSuffix(path[:strings.LastIndex(path, "[")+1], "env[")
	switch {
	case value == Absent:
		return value
	case secret && (first == "data" || first == "stringData" || strings.HasPrefix(path, "metadata.annotations")), isValue, strings.Contains(path, corev1.LastAppliedConfigAnnotation):
		return hidden
	}
	switch value := value.(type) {
	case map[string]any:
		shown := maps.Clone(value)
		for name, below := range shown {
			if inEnv && name == "value" {
				shown[name] = hidden
				continue
			}
			shown[name] = HideValue(JoinPath(path, name), below, secret)
		}
		return shown
	case []any:
		shown := slices.Clone(value)
		for i, item := range shown {
			shown[i] = HideValue(path+"[]", item, secret)
		}
		return shown
	}
	return value
}
