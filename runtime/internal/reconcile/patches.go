package reconcile

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/opgen-dev/opgen/runtime/internal/apply"
	"github.com/opgen-dev/opgen/runtime/internal/backoff"
	"github.com/opgen-dev/opgen/runtime/internal/declared"
	"github.com/opgen-dev/opgen/runtime/internal/managedfields"
)

// The author's code may set fields of related objects, which belong to others:
//
//   - planPatches refuses an answer that patches what it must not.
//   - The parent gets the finalizer before it has a patch: the garbage collector knows of none.
//   - applyPatches applies the fields of each object, by a field manager of the parent's own, and removes
//     those of objects that are not patched any more (patch_removal.go).
//
// What is patched is remembered by the objects alone: managedFields say which fields are whose, and marks
// have a watch show the objects (patched.go).

// desiredPatch are the fields that the author's code desires of a related object.
type desiredPatch struct {
	patchedObject
	apply.Desired
}

// patchPlan is what a reconcile is to do about patches.
type patchPlan struct {
	desired []desiredPatch
	isGiven bool // the author's code says what it desires; otherwise all stays
}

// hash returns a hash of all that is desired, in any order.
func (p patchPlan) hash() (sum uint64) {
	for _, patch := range p.desired {
		sum += xxhash.Sum64String(patch.Key().String() + patch.Digest())
	}
	return sum
}

// keys returns the keys of the objects that are to be patched.
func (p patchPlan) keys() map[apply.Key]bool {
	keys := map[apply.Key]bool{}
	for _, patch := range p.desired {
		keys[patch.Key()] = true
	}
	return keys
}

// patchResult is what came of the patch of an object.
type patchResult struct {
	key      apply.Key
	conflict *backoff.Conflict // nil, unless the write is put off
	altered  []string          // paths at which the API server or its admission keeps other values
}

// planPatches completes the patches of an answer. It leaves out objects that are being deleted, and those of
// which no field is desired. It returns an error if a patch is not allowed.
func (r *run) planPatches(observed *observed, sets []declared.PatchSet) (plan patchPlan, err error) {
	plan.isGiven = sets != nil
	var invalid []error
	seen := map[apply.Key]bool{}
	for i, kind := range r.loop.relatedKinds {
		if !kind.Patch || len(sets) == 0 {
			continue
		}
		set := sets[0]
		if sets = sets[1:]; i >= len(observed.related) {
			continue
		}
		for _, patch := range set.Patches {
			desired, err := r.newPatch(observed, kind, observed.related[i], patch)
			switch {
			case err != nil:
				invalid = append(invalid, err)
			case desired == nil:
			case seen[desired.Key()]:
				invalid = append(invalid, fmt.Errorf("%s is patched twice: add one patch with all fields", desired.Key()))
			default:
				seen[desired.Key()] = true
				plan.desired = append(plan.desired, *desired)
			}
		}
	}
	if err = errors.Join(invalid...); err != nil {
		return patchPlan{}, errInvalidPatch{err}
	}
	return plan, nil
}

// newPatch completes a patch of one of the related objects of an entry. It returns nil if there is nothing
// to patch.
func (r *run) newPatch(observed *observed, kind *relatedKind, objects []client.Object, patch declared.DesiredPatch) (*desiredPatch, error) {
	if isNil(patch.Object) {
		return nil, errors.New("a patch is of an object that is nil")
	}
	object := r.findPatched(kind, objects, patch.Object)
	if object == nil {
		return nil, fmt.Errorf("%s cannot be patched: it is not among the related objects of this request, as Related of the request has them", r.nameObject(patch.Object))
	}
	key := apply.Key{Kind: kind.GroupVersionKind, Name: client.ObjectKeyFromObject(object)}
	if reason := r.whyNotPatched(observed, kind, object); reason != "" {
		return nil, fmt.Errorf("%s cannot be patched: %s", key, reason)
	}
	content, err := r.contentOfPatch(kind, object, patch)
	if err != nil {
		return nil, fmt.Errorf("the patch of %s %w", key, err)
	}
	if len(content) == 0 || object.GetDeletionTimestamp() != nil {
		return nil, nil
	}
	metadata, _ := content["metadata"].(map[string]any)
	if metadata == nil {
		metadata = map[string]any{}
		content["metadata"] = metadata
	}
	r.loop.patchMarks.Add(metadata, r.owner())
	desired, err := apply.NewPatch(apply.Desired{Kind: key.Kind, Name: key.Name, Owner: r.parent.GetUID()}, content)
	return &desiredPatch{patchedObject{kind, object}, desired}, err
}

// findPatched returns the object of a snapshot that a patch is about; nil if there is none. One that a test
// or an author has made has no UID, and is found by its name.
func (r *run) findPatched(kind *relatedKind, objects []client.Object, patched client.Object) client.Object {
	namespace := patched.GetNamespace()
	if namespace == "" && kind.namespaced {
		namespace = r.parent.GetNamespace()
	}
	i := slices.IndexFunc(objects, func(o client.Object) bool {
		if uid := patched.GetUID(); uid != "" {
			return o.GetUID() == uid
		}
		return o.GetName() == patched.GetName() && o.GetNamespace() == namespace
	})
	if i < 0 {
		return nil
	}
	return objects[i]
}

// whyNotPatched returns why an object must not be patched; empty if it may be.
func (r *run) whyNotPatched(observed *observed, kind *relatedKind, object client.Object) string {
	switch {
	case object.GetUID() == r.parent.GetUID():
		return "it is the parent, whose labels and annotations are those of the response"
	case r.isOwnChild(observed, object):
		return "it is a child of this parent, whose fields are those that Children desires"
	case kind.namespaced && !r.mayPatchIn(kind, object.GetNamespace()):
		return "it is not in the namespace of its parent: list its namespace by namespaces on the entry under operator.related, and run opgen generate"
	}
	return ""
}

// mayPatchIn reports whether objects of an entry may be patched in a namespace: that of the parent, and
// those that the entry states. Members of a child are where that is.
func (s *subject) mayPatchIn(kind *relatedKind, namespace string) bool {
	own := s.parent.GetNamespace()
	return own == "" || namespace == own || kind.NamespacesFrom != "" || kind.ofChild != nil ||
		slices.Contains(kind.Namespaces, namespace) || slices.Contains(kind.Namespaces, declared.AllNamespaces)
}

// contentOfPatch returns the fields that a patch sets, without the identity of the object. It is empty if
// there are none.
func (r *run) contentOfPatch(kind *relatedKind, object client.Object, patch declared.DesiredPatch) (map[string]any, error) {
	var source any = patch.Fields
	switch {
	case patch.Configuration != nil:
		source = patch.Configuration
	case isNil(patch.Fields):
		return nil, errors.New("has no fields: they are nil")
	case patch.Fields.GetResourceVersion() != "":
		return nil, errors.New("is a whole object: set only the fields that are to be patched, in a new object")
	}
	content, err := apply.Canonical(source)
	if err != nil {
		return nil, err
	}
	metadata, _ := content["metadata"].(map[string]any)
	delete(content, "apiVersion")
	delete(content, "kind")
	for name, own := range map[string]string{"name": object.GetName(), "namespace": object.GetNamespace()} {
		if text, ok := metadata[name].(string); ok && text != own {
			return nil, fmt.Errorf("names another object: its metadata.%s is %s", name, text)
		}
		delete(metadata, name)
	}
	if len(metadata) == 0 {
		delete(content, "metadata")
	}
	return content, r.checkPatchedFields(kind, content, metadata)
}

// checkPatchedFields returns an error if a patch sets fields that it must not.
func (r *run) checkPatchedFields(kind *relatedKind, content, metadata map[string]any) error {
	for name := range metadata {
		if name != "labels" && name != "annotations" {
			return fmt.Errorf("sets metadata.%s: of the metadata, it can set labels and annotations", name)
		}
		entries, _ := metadata[name].(map[string]any)
		for key := range entries {
			if r.isOwnKey(key) {
				return fmt.Errorf("sets metadata.%s[%q], which only the operator itself writes", name, key)
			}
		}
	}
	for name := range content {
		if kind.RelatedKind.Metadata && name != "metadata" {
			return fmt.Errorf("sets %s: of an entry with cache: metadata, it can set labels and annotations", name)
		}
	}
	return nil
}

// isOwnKey reports whether a label or an annotation is one that the runtime itself writes on objects.
func (s *subject) isOwnKey(key string) bool {
	keys := s.loop.childCache.keys
	return slices.Contains(keys.Labels(), key) || slices.Contains(keys.Annotations(), key) || s.loop.patchMarks.Has(key)
}

// patcher returns what applies the patches of an entry for a parent.
func (l *loop) patcher(kind *relatedKind, parent types.UID) *apply.Applier {
	return &apply.Applier{
		Client: l.client, LiveReader: l.liveReader, Manager: managedfields.PatchManager(l.manager, parent),
		New: kind.newObject, Metadata: kind.RelatedKind.Metadata,
	}
}

// applyPatches brings the fields of related objects to what is desired, each whatever becomes of the others.
// With mayRemove it removes those that are not desired any more.
func (r *run) applyPatches(ctx context.Context, observed *observed, mayRemove bool) (results []patchResult, err error) {
	hasFinalizer := controllerutil.ContainsFinalizer(r.parent, r.loop.finalizer)
	if !r.patches.isGiven || len(r.patches.desired) > 0 && !hasFinalizer { // the write of it was refused, which is shown
		return nil, nil
	}
	var failed []error
	keys := r.patches.keys()
	if mayRemove {
		failed = append(failed, r.removePatches(ctx, observed.patchedWithout(keys)))
		r.state.patches.Keep(r.now, keys)
	}
	for _, patch := range r.patches.desired {
		result, err := r.applyPatch(ctx, patch)
		if err != nil {
			failed = append(failed, errPatch{patch.Key(), err})
			continue
		}
		results = append(results, result)
	}
	return results, staleOrJoined(failed...)
}

// applyPatch brings the fields of one object to what is desired.
func (r *run) applyPatch(ctx context.Context, patch desiredPatch) (patchResult, error) {
	patcher := r.loop.patcher(patch.relatedKind, r.parent.GetUID())
	if field, ok := patcher.FindHeld(patch.Desired, patch.object); ok {
		return patchResult{}, errHeld{field.Path, r.nameHolder(patch.object, field.Manager)}
	}
	outcome, err := patcher.ApplyPatch(ctx, r.now, &r.state.patches, patch.Desired, patch.object)
	if err != nil {
		return patchResult{}, err
	}
	if outcome.Drift {
		r.loop.environment.Metrics.CountDrift(r.loop.definition.Name, patch.Kind())
	}
	if outcome.Action == apply.Updated {
		r.writer.recordPatch(patch.patchedObject, outcome.Object)
		r.loop.environment.Metrics.CountRelatedPatch(r.loop.definition.Name, patch.Kind())
		log.FromContext(ctx).V(1).Info("patched a related object", "object", patch.Key().String(), "drift", outcome.Drift)
	}
	return patchResult{patch.Key(), outcome.Conflict, outcome.Altered}, nil
}

// Kind returns the kind of the object as metrics name it.
func (p desiredPatch) Kind() string { return p.GroupVersionKind.Kind }

// nameHolder returns the parent for which a field manager has patched an object, or else the manager.
func (r *run) nameHolder(object client.Object, manager string) string {
	for uid, parent := range r.loop.patchMarks.Parents(object) {
		if parent != "" && managedfields.PatchManager(r.loop.manager, uid) == manager {
			kind, name, _ := strings.Cut(parent, "/")
			kind, _, _ = strings.Cut(kind, ".")
			return kind + " " + name
		}
	}
	return fmt.Sprintf("field manager %q", manager)
}
