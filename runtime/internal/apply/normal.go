package apply

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
)

// normalizeBuiltin gives the values of one of Kubernetes' own kinds the form in which the API
// server keeps them: 0.5 of a CPU becomes 500m, and empty strings that the Go type omits are
// removed. Fields that the Go type does not have stay, for the API server to refuse. Content of
// other kinds, and content that does not fit the Go type, stays as it is.
func normalizeBuiltin(content map[string]any) {
	version, _ := content["apiVersion"].(string)
	kind, _ := content["kind"].(string)
	typed, err := clientgoscheme.Scheme.New(schema.FromAPIVersionAndKind(version, kind))
	if err != nil {
		return
	}
	if runtime.DefaultUnstructuredConverter.FromUnstructured(content, typed) != nil {
		return
	}
	kept, err := runtime.DefaultUnstructuredConverter.ToUnstructured(typed)
	if err != nil {
		return
	}
	normalizeFields(content, kept)
}

// normalizeFields replaces the fields of an object by those that the API server keeps.
func normalizeFields(content, kept map[string]any) {
	for name, value := range content {
		now, ok := kept[name]
		switch {
		case ok && now != nil:
			content[name] = normalizeValue(value, now)
		case isZero(value):
			delete(content, name)
		}
	}
}

// normalizeValue returns a value as the API server keeps it.
func normalizeValue(value, kept any) any {
	switch value := value.(type) {
	case map[string]any:
		if kept, ok := kept.(map[string]any); ok {
			normalizeFields(value, kept)
		}
		return value
	case []any:
		kept, ok := kept.([]any)
		for i := 0; ok && len(kept) == len(value) && i < len(value); i++ {
			value[i] = normalizeValue(value[i], kept[i])
		}
		return value
	}
	return kept
}
