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
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/opgen-dev/opgen/runtime/internal/declared"
	"github.com/opgen-dev/opgen/runtime/internal/listmap"
	"github.com/opgen-dev/opgen/runtime/internal/ownership"
)

// Desired is the desired state of one child.
type Desired struct {
	Kind              schema.GroupVersionKind
	Name              types.NamespacedName
	Owner             types.UID // the parent's
	Group             string    // of the parent's kind
	declared.Policies           // an empty one is the default
	// HandOver are the paths of fields that the child keeps when the desired state leaves them out.
	HandOver []fieldpath.Path
	// InPlace are the paths of labels and annotations that are applied in place; see in_place.go.
	InPlace PathsInPlace
	// Hash is the hash of the desired state without those. Everybody can read it, so that it covers only the
	// keys of a Secret's data. Unless the strategy says otherwise, the child carries it in the
	// annotation HashKey.
	Hash    string
	HashKey string
	// Generate are the keys of a Secret whose values are generated; see [Desired.withGenerated]. The
	// Secret carries them in the annotation GeneratedKey.
	Generate     []declared.GeneratedKey
	GeneratedKey string
	// AdoptedKey is the annotation that records what was desired of a child when it was adopted as it is.
	AdoptedKey string
	// CreatedAsKey is the annotation in which a child names itself, with the namespace if it has one. The child gets it
	// when it is created, and with the next write. One without it is in sync. Empty: children have none.
	CreatedAsKey string
	// DesiredKey is the annotation that keeps the desired state; see keep_desired.go. Empty: none does.
	DesiredKey string
	// HasExpired says that the last child was a Job which has finished and was deleted by its own field.
	HasExpired bool
	// Rewrite asks for a write of the whole desired state although the child is in sync.
	Rewrite bool
	// Ownership returns the metadata that makes an object the parent's child, as a merge
	// patch. With the strategy CreateOnly, and while a child waits for its turn or for its
	// deletion, nothing else is written. Nil: there is none.
	Ownership func() map[string]any
	// HasLostMarks reports whether an object that has the child's name is the child, but has lost
	// part of that metadata. isKnown says that it was applied before. Nil: no object is.
	HasLostMarks func(live client.Object, isKnown bool) bool
	// AddOwnerMetadata adds the same to the desired metadata. The hash does not cover it, so that
	// no child is outdated because of it. Nil: it adds nothing.
	AddOwnerMetadata func(metadata map[string]any)

	// Input is the hash of all that the content is made from. Zero: it is not known. See
	// [AppliedState.Recall].
	Input uint64
	// Source is the object that the content is made from, if it has one of Kubernetes' own Go
	// types. A create sends it as it is.
	Source client.Object

	digest  string                // sums up all that is desired
	content func() map[string]any // canonical, with its identity, without the hash and generated values
	whole   func() map[string]any // the content of a new child, if the content is only a part of it
	record  string                // of the fields that are left out of the content; see as_it_is.go
}

// NewDesired completes a desired child whose content is canonical, and lacks only its identity and
// its hash. It returns an error if two items of a list have the same keys.
func NewDesired(d Desired, content map[string]any) (Desired, error) {
	d.setIdentity(content)
	if err := listmap.CheckDistinct(d.Kind, content); err != nil {
		return d, fmt.Errorf("%s: %w", d.Key(), err)
	}
	var err error
	if d.digest, err = hashOf(content); err != nil {
		return d, err
	}
	if d.Hash = d.digest; d.isSecret() || len(d.InPlace) > 0 {
		hashed := d.InPlace.Without(content)
		if d.isSecret() {
			hashed = withoutData(hashed)
		}
		d.Hash, err = hashOf(hashed)
	}
	if keepErr := d.addDesiredText(content); keepErr != nil {
		return d, fmt.Errorf("%s: %w", d.Key(), keepErr)
	}
	d.addOwnership(content)
	d.content = func() map[string]any { return content }
	return d, err
}

// hashOf returns the hash of a content.
func hashOf(content map[string]any) (hash string, err error) {
	err = encodeJSON(content, func(text []byte) {
		sum := digestOf(text)
		hash = hex.EncodeToString(sum[:])
	})
	return hash, err
}

// setIdentity adds the kind and name of the desired child to its content.
func (d Desired) setIdentity(content map[string]any) {
	content["apiVersion"], content["kind"] = d.Kind.GroupVersion().String(), d.Kind.Kind
	if d.isSecret() {
		encodeStringData(content)
	}
	metadata := ensureObject(content, "metadata")
	dropAnnotation(metadata, d.HashKey) // an observed child may be desired again
	d.addGeneratedText(metadata)
	metadata["name"] = d.Name.Name
	if d.Name.Namespace != "" {
		metadata["namespace"] = d.Name.Namespace
	}
}

// addOwnership adds the metadata that makes the desired child the parent's to its content.
func (d Desired) addOwnership(content map[string]any) {
	if d.AddOwnerMetadata != nil {
		d.AddOwnerMetadata(ensureObject(content, "metadata"))
	}
}

// Recall completes a desired child like NewDesired, if its last desired state was made from the
// same input. It takes the hash from that state, and makes the content only when it is needed. It
// reports false for another input.
func (m *AppliedState) Recall(d Desired, content func() map[string]any) (Desired, bool) {
	last := m.child(d.Key())
	if last == nil || d.Input == 0 || last.input != d.Input {
		return d, false
	}
	d.Hash, d.digest = last.hash, last.digest
	d.content = sync.OnceValue(func() map[string]any {
		fields := content()
		d.setIdentity(fields)
		_ = d.addDesiredText(fields) // which the last reconcile did without an error
		d.addOwnership(fields)
		return fields
	})
	return d, true
}

// Key returns the key of the child.
func (d Desired) Key() Key { return Key{d.Kind, d.Name} }

// carriesHash reports whether the child carries its hash.
func (d Desired) carriesHash() bool { return d.HashKey != "" && d.Update.Rules().CarriesHash }

// createdAs returns the text of the annotation in which the child names itself.
func (d Desired) createdAs() string { return ownership.ObjectName(d.Name) }

// namesAnother reports whether the annotation in which a child names itself names another one: somebody has edited it.
func (d Desired) namesAnother(live client.Object) bool {
	text, ok := live.GetAnnotations()[d.CreatedAsKey]
	return ok && text != d.createdAs()
}

// ownAnnotations returns the annotations that are no part of the desired state, and that each write adds to it.
func (d Desired) ownAnnotations() map[string]any {
	annotations := map[string]any{}
	if d.carriesHash() {
		annotations[d.HashKey] = d.Hash
	}
	if d.CreatedAsKey != "" {
		annotations[d.CreatedAsKey] = d.createdAs()
	}
	return annotations
}

// contentWith returns the desired content with its own annotations. It adds a field to the metadata if one is
// named: a resource version or a UID as a precondition.
func (d Desired) contentWith(precondition, value string) map[string]any {
	content, metadata := d.cloneContent()
	if precondition != "" {
		metadata[precondition] = value
	}
	if own := d.ownAnnotations(); len(own) > 0 {
		annotations, _ := metadata["annotations"].(map[string]any)
		all := make(map[string]any, len(annotations)+len(own))
		maps.Copy(all, annotations)
		maps.Copy(all, own)
		metadata["annotations"] = all
	}
	return content
}

// cloneContent returns the content and its metadata. The caller may change both.
func (d Desired) cloneContent() (content, metadata map[string]any) {
	content = maps.Clone(d.content())
	metadata = maps.Clone(content["metadata"].(map[string]any))
	content["metadata"] = metadata
	return content, metadata
}

// patchBody returns the desired state as a patch with a precondition.
func (d Desired) patchBody(precondition, value string) (body []byte, err error) {
	err = encodeJSON(d.contentWith(precondition, value), func(text []byte) { body = bytes.Clone(text) })
	return body, err
}

// fields returns the desired state without its identity.
func (d Desired) fields() map[string]any { return removeIdentity(d.cloneContent()) }

// fieldsWithHash returns the desired state without its identity, and with its own annotations.
func (d Desired) fieldsWithHash() map[string]any {
	content := d.contentWith("", "")
	return removeIdentity(content, content["metadata"].(map[string]any))
}

// removeIdentity removes the identity from a content and its metadata.
func removeIdentity(content, metadata map[string]any) map[string]any {
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

// dropAnnotation removes an annotation from metadata.
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

// ensureObject returns the object in a field of the content. It adds one if there is none.
func ensureObject(content map[string]any, name string) map[string]any {
	object, ok := content[name].(map[string]any)
	if !ok {
		object = map[string]any{}
		content[name] = object
	}
	return object
}
