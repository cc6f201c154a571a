package operator

import (
	"iter"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/declared"
)

// PatchSet holds patches: fields that Sync sets in related objects, which belong to others. The entry of
// the objects in the spec file says patch: true. The set is complete: a field that an earlier reconcile
// set and that is left out is removed, and so are all when the parent goes. A field whose removal the API
// server refuses, such as the size of a claim, stays.
//
// A patch creates no object and makes none a child. Of the metadata, it can set labels and annotations.
type PatchSet[T client.Object] struct {
	set declared.PatchSet
}

// DesiredPatch is one patch, for tests of Sync: the Object that is patched, and the Fields or the
// Configuration of the fields.
type DesiredPatch = declared.DesiredPatch

// Add adds a patch of a related object of this request. fields is a new object in which only the fields to
// set are set; it needs no name. An object has one patch at most. It is skipped while it is being deleted,
// or if no field is set.
//
//	want.Patches.Pods.Add(pod, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"role": "primary"}}})
func (s *PatchSet[T]) Add(object, fields T) {
	s.set.Patches = append(s.set.Patches, DesiredPatch{Object: object, Fields: fields})
}

// Apply is [PatchSet.Add] with an apply configuration, which can set a field to its zero value.
func (s *PatchSet[T]) Apply(object T, configuration runtime.ApplyConfiguration) {
	s.set.Patches = append(s.set.Patches, DesiredPatch{Object: object, Configuration: configuration})
}

// All yields the patched objects with their fields, in the order in which they were added, for tests of
// Sync. It does not yield apply configurations.
func (s PatchSet[T]) All() iter.Seq2[T, T] {
	return func(yield func(object, fields T) bool) {
		for _, patch := range s.set.Patches {
			if fields, ok := patch.Fields.(T); ok && !yield(patch.Object.(T), fields) {
				return
			}
		}
	}
}

// Patches returns everything that was added, in order, for tests of Sync.
func (s PatchSet[T]) Patches() []DesiredPatch { return slices.Clone(s.set.Patches) }

// Len returns the number of patches.
func (s PatchSet[T]) Len() int { return len(s.set.Patches) }
