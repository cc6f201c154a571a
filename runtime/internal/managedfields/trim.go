package managedfields

import (
	"bytes"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Trimmer makes objects smaller before they are cached. managedFields are half of their metadata:
// it drops the field managers that no controller here reads. Most children of one kind have the
// same fields, so that it lets them share the other managers, and the keys of labels and
// annotations.
type Trimmer struct {
	mu     sync.Mutex
	key    []byte // of the object at hand, reused
	fields map[string][]metav1.ManagedFieldsEntry
	texts  map[string]string
}

// maxInterned is how many managedFields and strings are shared before sharing starts again.
const maxInterned = 10_000

// NewTrimmer returns an empty trimmer.
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
	if len(t.fields) > maxInterned || len(t.texts) > maxInterned {
		clear(t.fields)
		clear(t.texts)
	}
	o.SetManagedFields(t.sharedEntries(o))
	t.shareTexts(o)
	return object, nil
}

// DropTrimmedManagedFields removes the managedFields of an object that comes from a trimmed cache.
// The API server would take them for all managers. It keeps those of an object that was read from
// the API server, which have times.
func DropTrimmedManagedFields(object client.Object) {
	for _, entry := range object.GetManagedFields() {
		if entry.Time == nil && isOurEntry(entry) {
			object.SetManagedFields(nil)
			return
		}
	}
}

// sharedEntries returns our managedFields entries of an object. Objects with the same fields share
// them.
func (t *Trimmer) sharedEntries(object client.Object) []metav1.ManagedFieldsEntry {
	all := object.GetManagedFields()
	var owner []byte
	if controller := metav1.GetControllerOfNoCopy(object); controller != nil {
		owner = []byte(ownerPath(string(controller.UID)))
	}
	t.key = t.key[:0]
	for _, entry := range all {
		if isOurEntry(entry) {
			t.key = appendAnonymous(t.key, entry, owner)
		}
	}
	if len(t.key) == 0 {
		return nil
	}
	if known, ok := t.fields[string(t.key)]; ok {
		return known
	}
	var kept []metav1.ManagedFieldsEntry
	for _, entry := range all {
		if isOurEntry(entry) {
			kept = append(kept, anonymousEntry(entry, owner))
		}
	}
	t.fields[string(t.key)] = kept
	return kept
}

// isOurEntry reports whether an entry belongs to a field manager of an opgen runtime, or says that the object has no
// content.
func isOurEntry(entry metav1.ManagedFieldsEntry) bool {
	return IsOfARuntime(entry.Manager) || entry.Operation == Unreadable
}

// anonymousEntry returns an entry without its time and owner, which differ between otherwise equal
// objects.
func anonymousEntry(entry metav1.ManagedFieldsEntry, owner []byte) metav1.ManagedFieldsEntry {
	entry.Time = nil
	if entry.FieldsV1 != nil {
		entry.FieldsV1 = metav1.NewFieldsV1(string(appendFields(nil, entry, owner)))
	}
	return entry
}

// appendAnonymous appends an entry without its time and owner to a text.
func appendAnonymous(text []byte, entry metav1.ManagedFieldsEntry, owner []byte) []byte {
	for _, part := range []string{entry.Manager, string(entry.Operation), entry.APIVersion, entry.FieldsType, entry.Subresource} {
		text = append(append(text, part...), 0)
	}
	return append(appendFields(text, entry, owner), 0)
}

// appendFields appends the fields of an entry without its owner to a text.
func appendFields(text []byte, entry metav1.ManagedFieldsEntry, owner []byte) []byte {
	raw := entry.FieldsV1.GetRawBytes()
	before, after, found := bytes.Cut(raw, owner)
	if len(owner) == 0 || !found {
		return append(text, raw...)
	}
	return append(append(append(text, before...), ownerPath(anyOwner)...), after...)
}

// shareTexts makes an object share strings that most objects of its kind have. Setting a key of a
// map again replaces its memory. An unstructured object returns copies, which cannot be shared.
func (t *Trimmer) shareTexts(object client.Object) {
	if _, dynamic := object.(runtime.Unstructured); dynamic {
		return
	}
	references := object.GetOwnerReferences()
	owner := ""
	for i := range references {
		references[i].APIVersion, references[i].Kind = t.shareText(references[i].APIVersion), t.shareText(references[i].Kind)
		owner = string(references[i].UID)
	}
	labels := object.GetLabels()
	for key, value := range labels {
		if value == owner {
			value = owner
		}
		labels[t.shareText(key)] = value
	}
	annotations := object.GetAnnotations()
	for key, value := range annotations {
		annotations[t.shareText(key)] = value
	}
}

// shareText returns the shared copy of a string.
func (t *Trimmer) shareText(text string) string {
	if shared, ok := t.texts[text]; ok {
		return shared
	}
	t.texts[text] = text
	return text
}

// anyOwner replaces the UID of the object's controller in a shared entry. Only this part of the
// paths differs between children that are otherwise equal.
const anyOwner = "~"

// ownerPath returns the path of an owner reference as an entry holds it.
func ownerPath(uid string) string { return `"k:{\"uid\":\"` + uid + `\"}"` }

// Restore returns a shared entry with the UID of the object's controller.
func Restore(object client.Object, raw []byte) []byte {
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
