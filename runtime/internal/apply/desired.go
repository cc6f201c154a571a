package apply

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"maps"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/listmap"
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

// ImmutablePolicy says what to do about a change that an existing child cannot
// take.
type ImmutablePolicy string

// The policies for immutable fields.
const (
	FailIfImmutable     ImmutablePolicy = "Fail"     // the child stays as it is; the error is ErrImmutable
	RecreateIfImmutable ImmutablePolicy = "Recreate" // the child is replaced
)

// Desired is one child as it should be.
type Desired struct {
	Kind          schema.GroupVersionKind
	Name          types.NamespacedName
	Owner         types.UID // the parent's
	Strategy      Strategy
	Rolls         bool            // others wait for the child to carry its hash
	Adoption      Adoption        // empty: Never
	WhenImmutable ImmutablePolicy // empty: FailIfImmutable
	// Hash tells desired states apart, but for the data of a Secret, of which it knows
	// the keys alone: it is for everybody to read. Every child that is written more than
	// once carries it in the annotation HashKey.
	Hash    string
	HashKey string
	// Fresh asks for a write of all that is desired although the child is in sync.
	Fresh bool
	// Ownership returns the metadata that alone makes an object the parent's child,
	// as a merge patch: all that an existing child gets with the strategy
	// CreateOnly, or while it waits for its turn or for its deletion. Nil: there is
	// none.
	Ownership func() map[string]any
	// Own adds the same to the metadata of what is desired. It is no part of what
	// the hash sums up, so that no child counts as outdated for it. Nil: nothing.
	Own func(metadata map[string]any)

	// Input sums up all that the content is made from; zero: nothing is known of
	// it. See [Memo.Recall].
	Input uint64
	// Source is the object that the content is made from, if it has one of
	// Kubernetes' own Go types: a plain create sends it as it is.
	Source client.Object

	state   string                // sums up all that is desired
	content func() map[string]any // canonical, with its identity, without the hash
}

// NewDesired completes a desired child whose content is canonical and holds
// everything but its identity and its hash. It returns an error if two items of a
// list have the same keys.
func NewDesired(d Desired, content map[string]any) (Desired, error) {
	d.identify(content)
	if err := listmap.Check(d.Kind, content); err != nil {
		return d, fmt.Errorf("%s: %w", d.Key(), err)
	}
	var err error
	if d.state, err = hashOf(content); err != nil {
		return d, err
	}
	if d.Hash = d.state; d.isSecret() {
		d.Hash, err = hashOf(withoutData(content))
	}
	d.own(content)
	d.content = func() map[string]any { return content }
	return d, err
}

// hashOf sums up a content.
func hashOf(content map[string]any) (hash string, err error) {
	err = encode(content, func(text []byte) {
		sum := sumOf(text)
		hash = hex.EncodeToString(sum[:])
	})
	return hash, err
}

// identify completes the content of a desired child.
func (d Desired) identify(content map[string]any) {
	content["apiVersion"], content["kind"] = d.Kind.GroupVersion().String(), d.Kind.Kind
	if d.isSecret() {
		encodeStringData(content)
	}
	metadata := child(content, "metadata")
	dropAnnotation(metadata, d.HashKey) // of a child that was observed and is desired again
	metadata["name"] = d.Name.Name
	if d.Name.Namespace != "" {
		metadata["namespace"] = d.Name.Namespace
	}
}

// own adds to the content of a desired child what makes it the parent's.
func (d Desired) own(content map[string]any) {
	if d.Own != nil {
		d.Own(child(content, "metadata"))
	}
}

// Recall completes a desired child like NewDesired, if the last desired state of
// it was made from the same input. Its hash is known then, and its content is
// made only when it is asked for.
func (m *Memo) Recall(d Desired, content func() map[string]any) (Desired, bool) {
	last := m.last(d.Key())
	if last == nil || d.Input == 0 || last.input != d.Input {
		return d, false
	}
	d.Hash, d.state = last.stamp, last.desired
	d.content = sync.OnceValue(func() map[string]any {
		made := content()
		d.identify(made)
		d.own(made)
		return made
	})
	return d, true
}

// Key names the child.
func (d Desired) Key() Key { return Key{d.Kind, d.Name} }

// stamped tells whether the child carries its hash.
func (d Desired) stamped() bool { return d.HashKey != "" && d.Strategy != CreateOnly }

// complete returns the desired state with its hash, and with more metadata if
// a key is given: a resource version or a UID as a precondition.
func (d Desired) complete(precondition, value string) map[string]any {
	content, metadata := d.cloned()
	if precondition != "" {
		metadata[precondition] = value
	}
	if d.stamped() {
		annotations, _ := metadata["annotations"].(map[string]any)
		stamped := make(map[string]any, len(annotations)+1)
		maps.Copy(stamped, annotations)
		stamped[d.HashKey] = d.Hash
		metadata["annotations"] = stamped
	}
	return content
}

// cloned returns the content and its metadata, either of which may be changed.
func (d Desired) cloned() (content, metadata map[string]any) {
	content = maps.Clone(d.content())
	metadata = maps.Clone(content["metadata"].(map[string]any))
	content["metadata"] = metadata
	return content, metadata
}

// body is the desired state as a patch, with a precondition.
func (d Desired) body(precondition, value string) (body []byte, err error) {
	err = encode(d.complete(precondition, value), func(text []byte) { body = bytes.Clone(text) })
	return body, err
}

// fields returns the desired state without its identity.
func (d Desired) fields() map[string]any { return anonymous(d.cloned()) }

// stampedFields returns the same with the hash.
func (d Desired) stampedFields() map[string]any {
	content := d.complete("", "")
	return anonymous(content, content["metadata"].(map[string]any))
}

// anonymous takes the identity from a content that may be changed.
func anonymous(content, metadata map[string]any) map[string]any {
	for _, name := range []string{"apiVersion", "kind", "metadata"} {
		delete(content, name)
	}
	delete(metadata, "name")
	delete(metadata, "namespace")
	if len(metadata) > 0 {
		content["metadata"] = metadata
	}
	return content
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
