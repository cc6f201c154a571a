package reconcile

import (
	"reflect"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/opgen-dev/opgen/runtime/internal/declared"
	"github.com/opgen-dev/opgen/runtime/internal/ownership"
)

// One rule decides what a child is, for the snapshot, the prune, the finalizer, the cleanup and the
// adoption. An object is a child of a parent if
//
//   - its controller reference names the parent, and lies in the parent's namespace; or it has no
//     controller, its label has the parent's UID and its annotation names the parent;
//   - it lies in a namespace where children of its kind may lie;
//   - somebody else did not write all of these marks: that is a copy of a child.
//
// Only children are shown to Sync, and only children are pruned. A child that loses marks gets them
// back before Sync is called; see restore.go. If it does not keep them, it is shown without them.

// parentOf returns the parent of an object of the cache. It returns false if the object is no
// child.
func (c *childCache) parentOf(kind schema.GroupKind, object client.Object) (ownership.Parent, bool) {
	if ownership.IsMarkedCopy(object) {
		return ownership.Parent{}, false
	}
	return c.markedParent(kind, object)
}

// markedParent returns the parent that the marks of an object name, whoever wrote them. It returns
// false if they name none, or if the object lies where no child of that parent may lie.
func (c *childCache) markedParent(kind schema.GroupKind, object client.Object) (ownership.Parent, bool) {
	parent, ok := c.keys.ParentOf(object, c.parents)
	if !ok || !mayLieIn(object.GetNamespace(), parent.Name.Namespace, c.namespaces[kind]) {
		return ownership.Parent{}, false
	}
	return parent, true
}

// mayLieIn reports whether a child may lie in a namespace. Cluster-scoped children have none, and a
// cluster-scoped parent has none of its own.
func mayLieIn(namespace, ofParent string, others []string) bool {
	if namespace == "" || namespace == ofParent || ofParent == "" && len(others) == 0 {
		return true
	}
	return slices.Contains(others, declared.AllNamespaces) || slices.Contains(others, namespace)
}

// parentUID returns the UID of the parent of an object that was read from the API server, and the
// parent's name for messages. Both are empty if the object is no child.
func (c *childCache) parentUID(object client.Object) (types.UID, string) {
	gvk, err := apiutil.GVKForObject(object, c.scheme)
	if err != nil || c.keys.CopiedBy(object, c.manager) != "" {
		return "", ""
	}
	parent, ok := c.parentOf(gvk.GroupKind(), object)
	if !ok {
		return "", ""
	}
	return parent.UID, parent.Kind.Kind + " " + parent.Name.Name
}

// copiedBy returns the field manager that wrote the marks of an object which is a copy of a child;
// empty if it is none.
func (c *childCache) copiedBy(object client.Object) string {
	if _, ok := c.keys.ParentOf(object, c.parents); !ok {
		return ""
	}
	return c.keys.CopiedBy(object, c.manager)
}

// dropOthers returns the transform of the cache. It sees who wrote the marks of an object, which
// trim drops, and keeps the result. Of what is no child it drops the content, so that the objects
// of others fill no memory.
func (c *childCache) dropOthers(trim toolscache.TransformFunc) toolscache.TransformFunc {
	return func(input any) (any, error) {
		object, ok := input.(client.Object)
		if !ok || ownership.IsMarkedCopy(object) {
			return input, nil
		}
		writer := c.copiedBy(object)
		trimmed, err := trim(input)
		if err != nil {
			return nil, err
		}
		if writer == "" && c.isInPlace(object) {
			return trimmed, nil
		}
		bare := withMarksOnly(object, c.keys)
		if writer != "" {
			ownership.MarkCopy(bare, writer)
		}
		return bare, nil
	}
}

// isInPlace reports whether the marks of an object name a parent, and the object lies where a child
// of that parent may lie.
func (c *childCache) isInPlace(object client.Object) bool {
	gvk, err := apiutil.GVKForObject(object, c.scheme)
	if err != nil {
		return false
	}
	_, ok := c.markedParent(gvk.GroupKind(), object)
	return ok
}

// withMarksOnly returns an object of the same type with the part of the metadata that tells whose it
// is.
func withMarksOnly(object client.Object, keys ownership.Keys) client.Object {
	bare := withoutContent(object)
	bare.SetFinalizers(nil)
	bare.SetLabels(keepKeys(object.GetLabels(), keys.Labels()))
	bare.SetAnnotations(keepKeys(object.GetAnnotations(), []string{keys.Parent, keys.WhenRemoved, keys.ListedAs}))
	return bare
}

// withoutContent returns an object of the same type with the metadata alone.
func withoutContent(object client.Object) client.Object {
	bare := reflect.New(reflect.TypeOf(object).Elem()).Interface().(client.Object)
	bare.GetObjectKind().SetGroupVersionKind(object.GetObjectKind().GroupVersionKind())
	bare.SetName(object.GetName())
	bare.SetNamespace(object.GetNamespace())
	bare.SetUID(object.GetUID())
	bare.SetResourceVersion(object.GetResourceVersion())
	bare.SetGeneration(object.GetGeneration())
	bare.SetCreationTimestamp(object.GetCreationTimestamp())
	bare.SetDeletionTimestamp(object.GetDeletionTimestamp())
	bare.SetOwnerReferences(object.GetOwnerReferences())
	bare.SetFinalizers(object.GetFinalizers())
	bare.SetLabels(object.GetLabels())
	bare.SetAnnotations(object.GetAnnotations())
	bare.SetManagedFields(object.GetManagedFields())
	return bare
}

// keepKeys returns the part of a map that has these keys.
func keepKeys(from map[string]string, keys []string) map[string]string {
	kept := map[string]string{}
	for _, key := range keys {
		if value, ok := from[key]; ok {
			kept[key] = value
		}
	}
	return kept
}

// hasLostMarks reports whether an object that was read from the API server, and has the name of a child, is that child of
// this parent, and has lost some of the marks of one: somebody edited it, or has recreated it. isKnown says that the operator
// has known it as a child of this parent. Otherwise a mark that is left has to say so, which only
// this operator may have written.
//
// The annotation names no UID. A child of an earlier parent of this name looks the same, and a
// parent does not inherit those: the garbage collector goes by the UID, too. The annotation was
// written before this parent was created then. No other living parent has this kind and name, so
// that none loses a child.
func (s *subject) hasLostMarks(object client.Object, isKnown bool) bool {
	cache, uid := s.loop.childCache, s.parent.GetUID()
	label := cache.labelUID(object)
	isLabelled := label == uid && cache.keys.HasWrittenLabel(object, cache.manager)
	switch controller := metav1.GetControllerOfNoCopy(object); {
	case object.GetDeletionTimestamp() != nil, len(cache.claims(object)) > 0:
		return false
	case controller != nil && controller.UID != uid && (!isLabelled || cache.copiedBy(object) == ""):
		return false // another controller has it, unless somebody has only written another parent's reference
	case label != uid && label != "" && cache.keys.HasWrittenLabel(object, cache.manager):
		return false // it is right: of an earlier parent
	case s.isMarked(object):
		return s.isRecreatedByOthers(object)
	case isKnown, isLabelled, s.wasDisconnected(object):
		return true
	case ownership.HasOwnerReference(object, uid) && (controller == nil || object.GetNamespace() == s.parent.GetNamespace() || !s.loop.parentKind.namespaced):
		return !ownership.IsReferenceOfOthers(object, cache.manager, uid)
	}
	named, isOurs := ownership.AnnotationWrittenAt(object, cache.keys.Parent, cache.manager)
	return isOurs && cache.keys.ParentName(object) == s.owner().String() && !named.Before(s.parent.GetCreationTimestamp().Time)
}

// isChild reports whether an object was a child of this parent when it was read.
func (s *subject) isChild(object child) bool {
	parent, ok := object.parentOf(object.object)
	return ok && parent.UID == s.parent.GetUID() && parent.Name == s.name()
}

// isMarked reports whether an object has the marks of a child of this parent, whoever wrote them.
func (s *subject) isMarked(object client.Object) bool {
	parent, ok := s.loop.childCache.keys.ParentOf(object, s.loop.childCache.parents)
	return ok && parent.UID == s.parent.GetUID() && parent.Name == s.name() && s.loop.childCache.labelUID(object) == parent.UID
}

// isRecreatedByOthers reports whether somebody has recreated a child of this parent under its name, as from a backup: it has all
// marks, which others wrote, and names itself. The child that it stands for is gone, since nothing else can have its name.
func (s *subject) isRecreatedByOthers(object client.Object) bool {
	cache := s.loop.childCache
	return s.isMarked(object) && cache.copiedBy(object) != "" && cache.keys.NamesItself(object)
}

// wasDisconnected reports whether an object was a child of this parent when a user disconnected the
// parent. Only the annotation that this controller has written to this object counts.
func (s *subject) wasDisconnected(object client.Object) bool {
	cache := s.loop.childCache
	_, isOurs := ownership.AnnotationWrittenAt(object, cache.keys.FormerParent, cache.manager)
	return isOurs && object.GetAnnotations()[cache.keys.FormerParent] == string(s.parent.GetUID())
}
