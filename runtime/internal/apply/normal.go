package apply

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
)

// normalize gives the values of one of Kubernetes' own kinds the form that the API
// server keeps them in: 0.5 of a CPU is 500m, and an empty text that its Go type leaves
// out is no value. Fields that the Go type does not know stay as they are, for the API
// server to refuse. Content of other kinds, or that the Go type cannot hold, stays as it
// is.
func normalize(content map[string]any) {
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

func normalizeFields(content, kept map[string]any) {
	for name, value := range content {
		now, ok := kept[name]
		switch {
		case ok && now != nil:
			content[name] = normalized(value, now)
		case isZero(value):
			delete(content, name)
		}
	}
}

func normalized(value, kept any) any {
	switch value := value.(type) {
	case map[string]any:
		if kept, ok := kept.(map[string]any); ok {
			normalizeFields(value, kept)
		}
		return value
	case []any:
		kept, ok := kept.([]any)
		for i := 0; ok && len(kept) == len(value) && i < len(value); i++ {
			value[i] = normalized(value[i], kept[i])
		}
		return value
	}
	return kept
}
