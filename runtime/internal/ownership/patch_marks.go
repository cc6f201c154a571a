package ownership

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/managedfields"
)

// PatchMarks are what an object of others carries while a controller has fields in it. They make it no
// child. Whoever may write the object can write the marks, so that they only say where to look: which
// fields are whose is in managedFields.
type PatchMarks struct {
	Label   string // "true" on each object that the controller patches, for whatever parent
	prefix  string // of the annotations, which end in the UID of a parent and name the parent
	manager string // of the controller
}

// PatchMarksOf returns the marks of a controller. manager is its field manager.
func PatchMarksOf(group, controller, manager string) PatchMarks {
	return PatchMarks{Label: "patched." + group + "/" + controller, prefix: "patched." + group + "/", manager: manager}
}

// Selector selects the objects with the mark.
func (m PatchMarks) Selector() string { return m.Label + "=true" }

// Prefix returns what the keys of all marks begin with.
func (m PatchMarks) Prefix() string { return m.prefix }

// Add adds the marks of a parent to the metadata of a patch.
func (m PatchMarks) Add(metadata map[string]any, parent Parent) {
	ensureObject(metadata, "labels")[m.Label] = "true"
	ensureObject(metadata, "annotations")[m.Annotation(parent.UID)] = parent.String()
}

// Annotation returns the key of the annotation that names a parent.
func (m PatchMarks) Annotation(parent types.UID) string { return m.prefix + string(parent) }

// Has reports whether a label or an annotation is such a mark.
func (m PatchMarks) Has(key string) bool { return strings.HasPrefix(key, m.prefix) }

// Parents returns the parents for which the controller has applied a patch to an object, by their UIDs,
// in the form of [Parent.String]. The name is empty if the annotation is missing, or if somebody else
// has written it.
func (m PatchMarks) Parents(object client.Object) map[types.UID]string {
	parents := map[types.UID]string{}
	for _, uid := range managedfields.PatchingParents(object, m.manager) {
		parents[uid] = ""
		if managedfields.OwnsAnnotation(object, managedfields.PatchManager(m.manager, uid), m.Annotation(uid)) {
			parents[uid] = object.GetAnnotations()[m.Annotation(uid)]
		}
	}
	return parents
}

// IsPatchedFor reports whether the controller has applied a patch to an object for a parent.
func (m PatchMarks) IsPatchedFor(object client.Object, parent types.UID) bool {
	return slices.Contains(managedfields.PatchingParents(object, m.manager), parent)
}
