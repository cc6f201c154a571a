package ownership

import (
	"bytes"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/opgen-dev/opgen/runtime/internal/managedfields"
)

// The marks of a child are the label, the annotation Keys.Parent, and the controller reference to a
// parent. Who copies an object copies its marks, too. Two things tell them apart:
//
//   - The annotation Keys.CreatedAs names the child. A copy has another name.
//   - managedFields name who wrote each mark, and when. The API server drops all of them once they name a version that
//     has left the CRD, and the oldest of more than ten writers, and somebody can clear or restore them.
//
// Whoever may write an object can forge both, so that they say nothing about an object that somebody has made on
// purpose; see docs/limits.md.

// admissionTime is how long the API server may take between noting who creates an object, and when
// it was created: admission plugins come between.
const admissionTime = time.Minute

// copied is the operation of the entry that stands for the result of [Keys.MarkCopy]. The API
// server knows no such operation.
const copied metav1.ManagedFieldsOperationType = "Copied"

// unknownWriter stands for the writer of marks that managedFields do not name.
const unknownWriter = "somebody"

// CopiedBy returns the field manager that wrote the marks of an object which is a copy of a child. It is empty for an
// object that is none:
//
//	its annotation CreatedAs names another object            it is a copy, unless managedFields show that somebody
//	                                                         else has edited that annotation of a child of manager
//	it has a mark that manager wrote since it exists         it is none
//	managedFields do not say who wrote its marks             it is none
func (k Keys) CopiedBy(object client.Object, manager string) string {
	if IsMarkedCopy(object) {
		return object.GetManagedFields()[0].Manager
	}
	writer := k.writerOfMarks(object, manager)
	if writer == "" && k.NamesAnother(object) && !k.isEdited(object, manager) {
		return unknownWriter
	}
	return writer
}

// isEdited reports whether manager wrote the label of an object, and not the annotation CreatedAs.
func (k Keys) isEdited(object client.Object, manager string) bool {
	_, isOurs := AnnotationWrittenAt(object, k.CreatedAs, manager)
	return !isOurs && k.HasWrittenLabel(object, manager)
}

// writerOfMarks returns the field manager that wrote the marks of an object, if manager wrote none of them.
func (k Keys) writerOfMarks(object client.Object, manager string) (writer string) {
	for _, mark := range k.marksOf(object) {
		by := mark.writer(object, manager)
		if by == "" {
			return ""
		}
		writer = by
	}
	return writer
}

// MarkCopy makes the managedFields of an object say that it is a copy. A cache that drops the
// managedFields of others keeps the result by it.
func MarkCopy(object client.Object, writer string) {
	object.SetManagedFields([]metav1.ManagedFieldsEntry{{Manager: writer, Operation: copied}})
}

// IsMarkedCopy reports whether MarkCopy has marked an object.
func IsMarkedCopy(object client.Object) bool {
	entries := object.GetManagedFields()
	return len(entries) == 1 && entries[0].Operation == copied
}

// HasWrittenLabel reports whether a field manager wrote the label of an object since the object
// exists.
func (k Keys) HasWrittenLabel(object client.Object, manager string) bool {
	_, ok := k.labelMark().writtenAt(object, manager)
	return ok
}

// AnnotationWrittenAt returns when a field manager wrote an annotation. It reports false if it did
// not, or did before the object existed.
func AnnotationWrittenAt(object client.Object, key, manager string) (time.Time, bool) {
	return annotationMark(key).writtenAt(object, manager)
}

// IsReferenceOfOthers reports whether others than a field manager wrote the reference of an object
// to a parent.
func IsReferenceOfOthers(object client.Object, manager string, parent types.UID) bool {
	return referenceMark(string(parent)).writer(object, manager) != ""
}

// mark is a path in the metadata of an object, and a text that occurs in its form in managedFields.
type mark struct {
	path fieldpath.Path
	text string
}

func (k Keys) labelMark() mark {
	return mark{fieldpath.MakePathOrDie("metadata", "labels", k.Label), k.Label}
}

func annotationMark(key string) mark {
	return mark{fieldpath.MakePathOrDie("metadata", "annotations", key), key}
}

func referenceMark(uid string) mark {
	return mark{fieldpath.MakePathOrDie("metadata", "ownerReferences", fieldpath.KeyByFields("uid", uid)), uid}
}

// marksOf returns the marks that an object has, of the parent that its controller reference names,
// or else its annotation.
func (k Keys) marksOf(object client.Object) (marks []mark) {
	label, labelled := object.GetLabels()[k.Label]
	ref := metav1.GetControllerOfNoCopy(object)
	if labelled && (ref == nil || label == string(ref.UID)) {
		marks = append(marks, k.labelMark())
	}
	if ref != nil {
		return append(marks, referenceMark(string(ref.UID)))
	}
	if _, ok := object.GetAnnotations()[k.Parent]; ok {
		marks = append(marks, annotationMark(k.Parent))
	}
	return marks
}

// writer returns who wrote a mark in place of manager; empty if manager did, or nobody knows.
func (m mark) writer(object client.Object, manager string) (writer string) {
	for _, entry := range object.GetManagedFields() {
		if !m.isIn(entry) {
			continue
		}
		switch {
		case managedfields.IsGenerated(entry.Manager), entry.Manager == manager && !isOlder(entry, object):
			return ""
		case writer == "":
			writer = entry.Manager
		}
	}
	return writer
}

// writtenAt returns when a field manager wrote the mark, which is unknown of an object of a cache. It
// reports false if it did not, or did before the object existed.
func (m mark) writtenAt(object client.Object, manager string) (at time.Time, ok bool) {
	for _, entry := range object.GetManagedFields() {
		if entry.Manager != manager || !m.isIn(entry) || isOlder(entry, object) {
			continue
		}
		if ok = true; entry.Time != nil && entry.Time.After(at) {
			at = entry.Time.Time
		}
	}
	return at, ok
}

// isIn reports whether an entry of managedFields has the mark.
func (m mark) isIn(entry metav1.ManagedFieldsEntry) bool {
	if entry.FieldsV1 == nil || entry.Subresource != "" || !bytes.Contains(entry.FieldsV1.GetRawBytes(), []byte(m.text)) {
		return false
	}
	set := new(fieldpath.Set)
	return set.FromJSON(bytes.NewReader(entry.FieldsV1.GetRawBytes())) == nil && set.Has(m.path)
}

// isOlder reports whether an entry was written before the object was created, as in an object that
// a backup tool has restored. Entries of a cache have no times.
func isOlder(entry metav1.ManagedFieldsEntry, object client.Object) bool {
	return entry.Time != nil && entry.Time.Time.Before(object.GetCreationTimestamp().Add(-admissionTime))
}

// HasWrittenReference reports whether a field manager wrote the reference of an object to a parent since the
// object exists.
func HasWrittenReference(object client.Object, manager string, parent types.UID) bool {
	_, ok := referenceMark(string(parent)).writtenAt(object, manager)
	return ok
}
