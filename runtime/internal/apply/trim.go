package apply

import (
	"bytes"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Trimmer makes objects smaller that are about to be cached. Half of their
// metadata are managedFields: it drops the field managers that no controller here
// reads. Since the children of one kind are mostly of one shape, it has them share
// what is left of these, and the keys of their labels and annotations.
type Trimmer struct {
	mu     sync.Mutex
	shape  []byte // of the object at hand
	fields map[string][]metav1.ManagedFieldsEntry
	texts  map[string]string
}

// shapes is how many different shapes, and texts, are shared before sharing starts
// anew.
const shapes = 10_000

// NewTrimmer makes a trimmer.
func NewTrimmer() *Trimmer {
	return &Trimmer{fields: map[string][]metav1.ManagedFieldsEntry{}, texts: map[string]string{}}
}

// Trim is the transform of a cache.
func (t *Trimmer) Trim(object any) (any, error) {
	o, ok := object.(client.Object)
	if !ok {
		return object, nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.fields) > shapes || len(t.texts) > shapes {
		clear(t.fields)
		clear(t.texts)
	}
	o.SetManagedFields(t.managed(o))
	t.keys(o)
	return object, nil
}

// DropTrimmed takes from an object the field managers that a cache has left of it. The
// API server would take them for all there are. Those of an object that was read from
// the API server stay: each says when it was written.
func DropTrimmed(object client.Object) {
	for _, entry := range object.GetManagedFields() {
		if entry.Time == nil && ours(entry) {
			object.SetManagedFields(nil)
			return
		}
	}
}

// managed returns our entries in an object's managedFields, which it has in common
// with all objects of its shape.
func (t *Trimmer) managed(object client.Object) []metav1.ManagedFieldsEntry {
	all := object.GetManagedFields()
	var owner []byte
	if controller := metav1.GetControllerOfNoCopy(object); controller != nil {
		owner = []byte(ownerPath(string(controller.UID)))
	}
	t.shape = t.shape[:0]
	for _, entry := range all {
		if ours(entry) {
			t.shape = appendShape(t.shape, entry, owner)
		}
	}
	if len(t.shape) == 0 {
		return nil
	}
	if known, ok := t.fields[string(t.shape)]; ok {
		return known
	}
	var kept []metav1.ManagedFieldsEntry
	for _, entry := range all {
		if ours(entry) {
			kept = append(kept, shapeOf(entry, owner))
		}
	}
	t.fields[string(t.shape)] = kept
	return kept
}

func ours(entry metav1.ManagedFieldsEntry) bool {
	return strings.HasPrefix(entry.Manager, managerPrefix)
}

// shapeOf is an entry without what differs between objects of one shape: when it
// was written, and their owner.
func shapeOf(entry metav1.ManagedFieldsEntry, owner []byte) metav1.ManagedFieldsEntry {
	entry.Time = nil
	if entry.FieldsV1 != nil {
		entry.FieldsV1 = metav1.NewFieldsV1(string(appendFields(nil, entry, owner)))
	}
	return entry
}

func appendShape(text []byte, entry metav1.ManagedFieldsEntry, owner []byte) []byte {
	for _, part := range []string{entry.Manager, string(entry.Operation), entry.APIVersion, entry.FieldsType, entry.Subresource} {
		text = append(append(text, part...), 0)
	}
	return append(appendFields(text, entry, owner), 0)
}

func appendFields(text []byte, entry metav1.ManagedFieldsEntry, owner []byte) []byte {
	raw := entry.FieldsV1.GetRawBytes()
	before, after, found := bytes.Cut(raw, owner)
	if len(owner) == 0 || !found {
		return append(text, raw...)
	}
	return append(append(append(text, before...), ownerPath(anyOwner)...), after...)
}

// keys has an object share the texts that most objects of its kind have. Setting a
// key again replaces its memory. An unstructured object gives out but copies.
func (t *Trimmer) keys(object client.Object) {
	if _, dynamic := object.(runtime.Unstructured); dynamic {
		return
	}
	references := object.GetOwnerReferences()
	owner := ""
	for i := range references {
		references[i].APIVersion, references[i].Kind = t.text(references[i].APIVersion), t.text(references[i].Kind)
		owner = string(references[i].UID)
	}
	labels := object.GetLabels()
	for key, value := range labels {
		if value == owner {
			value = owner
		}
		labels[t.text(key)] = value
	}
	annotations := object.GetAnnotations()
	for key, value := range annotations {
		annotations[t.text(key)] = value
	}
}

func (t *Trimmer) text(text string) string {
	if shared, ok := t.texts[text]; ok {
		return shared
	}
	t.texts[text] = text
	return text
}

// anyOwner stands in a shared entry for the UID of the object's controller, which
// is the one part of the paths that differs between children of one shape.
const anyOwner = "~"

// ownerPath is the path of an owner reference, as it is written in an entry.
func ownerPath(uid string) string { return `"k:{\"uid\":\"` + uid + `\"}"` }

// restored returns an entry of an object as the API server has it.
func restored(object client.Object, raw []byte) []byte {
	shared := []byte(ownerPath(anyOwner))
	if !bytes.Contains(raw, shared) {
		return raw
	}
	owner := metav1.GetControllerOfNoCopy(object)
	if owner == nil {
		return raw
	}
	return bytes.Replace(raw, shared, []byte(ownerPath(string(owner.UID))), 1)
}
