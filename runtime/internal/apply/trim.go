package apply

import (
	"bytes"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Trimmer makes objects smaller that are about to be cached. Their managedFields
// are half of their metadata: it drops the field managers that no controller here
// reads, and has objects share what is left, since the children of one kind are
// mostly of one shape.
type Trimmer struct {
	mu     sync.Mutex
	fields map[string]*metav1.FieldsV1
	texts  map[string]string
}

// shapes is how many different entries are shared before sharing starts anew.
const shapes = 10_000

// NewTrimmer makes a trimmer.
func NewTrimmer() *Trimmer {
	return &Trimmer{fields: map[string]*metav1.FieldsV1{}, texts: map[string]string{}}
}

// Trim is the transform of a cache.
func (t *Trimmer) Trim(object any) (any, error) {
	o, ok := object.(client.Object)
	if !ok {
		return object, nil
	}
	var ours []metav1.ManagedFieldsEntry // anew, so that the memory of the others is free
	for _, entry := range o.GetManagedFields() {
		if strings.HasPrefix(entry.Manager, managerPrefix) {
			ours = append(ours, t.share(o, entry))
		}
	}
	o.SetManagedFields(ours)
	return object, nil
}

// share returns an entry that has its memory in common with those of its shape.
func (t *Trimmer) share(object client.Object, entry metav1.ManagedFieldsEntry) metav1.ManagedFieldsEntry {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.fields) > shapes || len(t.texts) > shapes {
		clear(t.fields)
		clear(t.texts)
	}
	shared := metav1.ManagedFieldsEntry{
		Manager: t.text(entry.Manager), Operation: metav1.ManagedFieldsOperationType(t.text(string(entry.Operation))),
		APIVersion: t.text(entry.APIVersion), FieldsType: t.text(entry.FieldsType), Subresource: t.text(entry.Subresource),
	}
	if entry.FieldsV1 == nil {
		return shared
	}
	raw := entry.FieldsV1.GetRawString()
	if owner := metav1.GetControllerOfNoCopy(object); owner != nil {
		raw = strings.Replace(raw, ownerPath(string(owner.UID)), ownerPath(anyOwner), 1)
	}
	if t.fields[raw] == nil {
		t.fields[raw] = metav1.NewFieldsV1(raw)
	}
	shared.FieldsV1 = t.fields[raw]
	return shared
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
