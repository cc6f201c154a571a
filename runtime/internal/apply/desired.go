package apply

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// Strategy says how a change reaches an existing child.
type Strategy string

// The strategies, as package operator describes them.
const (
	InPlace    Strategy = "InPlace"
	Recreate   Strategy = "Recreate"
	OnDelete   Strategy = "OnDelete"
	CreateOnly Strategy = "CreateOnly"
)

// Desired is one child as it should be.
type Desired struct {
	Kind     schema.GroupVersionKind
	Name     types.NamespacedName
	Owner    types.UID // the parent's
	Strategy Strategy
	Adoption Adoption // empty: Never
	// Hash tells desired states apart. Strategies that must remember it
	// beyond the process keep it in the annotation HashKey.
	Hash    string
	HashKey string
	// Ownership is the metadata that alone makes an object the parent's child:
	// all that an adopted child with the strategy CreateOnly gets.
	Ownership map[string]any

	content map[string]any // canonical, with identity and hash annotation
}

// NewDesired completes a desired child whose content is canonical and holds
// everything but its identity and its hash.
func NewDesired(d Desired, content map[string]any) (Desired, error) {
	content["apiVersion"], content["kind"] = d.Kind.GroupVersion().String(), d.Kind.Kind
	if d.Kind == (schema.GroupVersionKind{Version: "v1", Kind: "Secret"}) {
		encodeStringData(content)
	}
	metadata := child(content, "metadata")
	dropAnnotation(metadata, d.HashKey) // of a child that was observed and is desired again
	metadata["name"] = d.Name.Name
	if d.Name.Namespace != "" {
		metadata["namespace"] = d.Name.Namespace
	}
	data, err := json.Marshal(content)
	if err != nil {
		return Desired{}, err
	}
	sum := sha256.Sum256(data)
	d.Hash, d.content = hex.EncodeToString(sum[:16]), content
	if d.Strategy == Recreate || d.Strategy == OnDelete {
		child(metadata, "annotations")[d.HashKey] = d.Hash
	}
	return d, nil
}

// Key names the child.
func (d Desired) Key() Key { return Key{d.Kind, d.Name} }

// body is the desired state as a patch, with more metadata than is desired:
// a resource version or a UID as a precondition.
func (d Desired) body(precondition, value string) ([]byte, error) {
	content, metadata := maps.Clone(d.content), maps.Clone(d.content["metadata"].(map[string]any))
	metadata[precondition] = value
	content["metadata"] = metadata
	return json.Marshal(content)
}

func dropAnnotation(metadata map[string]any, key string) {
	annotations, _ := metadata["annotations"].(map[string]any)
	if _, ok := annotations[key]; !ok {
		return
	}
	delete(annotations, key)
	if len(annotations) == 0 {
		delete(metadata, "annotations")
	}
}

// child returns the object at name, which it makes where there is none.
func child(content map[string]any, name string) map[string]any {
	object, ok := content[name].(map[string]any)
	if !ok {
		object = map[string]any{}
		content[name] = object
	}
	return object
}
