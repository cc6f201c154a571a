// Package managedfields reads the managedFields of objects, compares the values that objects have
// at the paths in them, and makes them smaller in caches.
//
// A set of paths is structured-merge-diff's [fieldpath.Set]. A path that leads to an item of a list
// selects the item by its keys or its value, and a path that ends at a list or an object owns it as
// a whole. So a walk over a set needs no schema.
package managedfields

import (
	"bytes"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// Entry returns the fields that an object's managedFields hold for a field manager. It returns nil
// if there are none.
func Entry(object client.Object, manager string, operation metav1.ManagedFieldsOperationType, subresource string) []byte {
	for _, entry := range object.GetManagedFields() {
		if entry.Manager == manager && entry.Operation == operation && entry.Subresource == subresource && entry.FieldsV1 != nil {
			return Restore(object, entry.FieldsV1.GetRawBytes())
		}
	}
	return nil
}

// IsEntryOf reports whether an entry is of a field manager, and not of a subresource.
func IsEntryOf(entry metav1.ManagedFieldsEntry, manager string) bool {
	return entry.Manager == manager && entry.Subresource == "" && entry.FieldsV1 != nil
}

// Parse reads the fields of an entry. It returns an empty set for nil and for fields that are not
// valid.
func Parse(raw []byte) *fieldpath.Set {
	set := fieldpath.NewSet()
	if raw == nil || set.FromJSON(bytes.NewReader(raw)) != nil {
		return fieldpath.NewSet()
	}
	return set
}

// Format returns the fields of a set as an entry holds them.
func Format(set *fieldpath.Set) (*metav1.FieldsV1, error) {
	raw, err := set.ToJSON()
	return metav1.NewFieldsV1(string(raw)), err
}

// Has reports whether a set has a path, the path of an object or a list around it, or paths below
// it.
func Has(set *fieldpath.Set, path fieldpath.Path) bool {
	for _, element := range path {
		below, ok := set.Children.Get(element)
		if !ok {
			return set.Members.Has(element)
		}
		set = below
	}
	return true
}

// OwnsCondition reports whether a field manager has set the condition of a type in an object's
// status.
func OwnsCondition(object client.Object, manager, conditionType string) bool {
	set := Parse(Entry(object, manager, metav1.ManagedFieldsOperationUpdate, "status"))
	return Has(set, PathOfCondition(conditionType))
}

// HasWriter reports whether managedFields name a field manager of a path. They do not for a generated one, nor once the
// API server has dropped all entries, since one of them named a version that has left the CRD.
func HasWriter(object client.Object, path fieldpath.Path) bool {
	return slices.ContainsFunc(object.GetManagedFields(), func(entry metav1.ManagedFieldsEntry) bool {
		return !IsGenerated(entry.Manager) && entry.FieldsV1 != nil && Has(Parse(entry.FieldsV1.GetRawBytes()), path)
	})
}

// IsGenerated reports whether a field manager is one that no client uses: the API server generates it when an object has
// lost its managedFields, or has had too many writers.
func IsGenerated(manager string) bool {
	return manager == "before-first-apply" || manager == "ancient-changes"
}

// PathOfCondition returns the path of the condition of a type.
func PathOfCondition(conditionType string) fieldpath.Path {
	return fieldpath.MakePathOrDie("status", "conditions", fieldpath.KeyByFields("type", conditionType))
}

// PathOfFinalizer returns the path of a finalizer.
func PathOfFinalizer(finalizer string) fieldpath.Path {
	return fieldpath.MakePathOrDie("metadata", "finalizers", value.NewValueInterface(finalizer))
}

// OwnsFinalizer reports whether a field manager has added a finalizer to an object.
func OwnsFinalizer(object client.Object, manager, finalizer string) bool {
	set := Parse(Entry(object, manager, metav1.ManagedFieldsOperationUpdate, ""))
	return set.Has(PathOfFinalizer(finalizer))
}

// OwnsContent reports whether a field manager has created an object with more than its metadata.
func OwnsContent(object client.Object, manager string) bool {
	set := Parse(Entry(object, manager, metav1.ManagedFieldsOperationUpdate, ""))
	return !set.RecursiveDifference(fieldpath.NewSet(fieldpath.MakePathOrDie("metadata"))).Empty()
}

// OwnsAnnotation reports whether a field manager has applied an annotation of an object.
func OwnsAnnotation(object client.Object, manager, key string) bool {
	set := Parse(Entry(object, manager, metav1.ManagedFieldsOperationApply, ""))
	return set.Has(fieldpath.MakePathOrDie("metadata", "annotations", key))
}

// MayHaveAnnotated reports whether a field manager wrote an annotation of an object, or whether nobody
// knows, because managedFields have no entry of that manager.
func MayHaveAnnotated(object client.Object, manager, key string) bool {
	path, isKnown := fieldpath.MakePathOrDie("metadata", "annotations", key), false
	for _, entry := range object.GetManagedFields() {
		if !IsEntryOf(entry, manager) {
			continue
		}
		if Parse(entry.FieldsV1.GetRawBytes()).Has(path) {
			return true
		}
		isKnown = true
	}
	return !isKnown
}
