package apply

import (
	"context"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// applyOverConflicts repeats an apply that was refused as invalid because of what
// others have set beside desired: a port of the same name, a second source of a
// volume. Such a field stands where somebody has edited one of ours: an edit of a
// list's key moves the item, and an apply adds ours beside it.
//
// First it makes the conflicting fields its own, so that the apply removes them. If
// it finds none, or the apply is refused again, it returns the refusal, and the
// owners of all fields are as before.
func (a *Applier) applyOverConflicts(ctx context.Context, d Desired, live client.Object, refusal error) (client.Object, error) {
	fields := refusedFields(refusal)
	inMetadata := func(field refusedField) bool { return field.path[0] == "metadata" }
	if len(fields) == 0 || slices.ContainsFunc(fields, inMetadata) { // it is another child by now, or another parent's
		return nil, refusal
	}
	current := a.New()
	if err := a.Live.Get(ctx, d.Name, current); err != nil || current.GetUID() != live.GetUID() {
		return nil, refusal
	}
	owners, owns := current.GetManagedFields(), false
	for _, everything := range []bool{false, true} {
		owned, err := a.ownConflicts(ctx, d, current, refusal, everything)
		if err != nil {
			return nil, err
		}
		if owned == nil {
			continue
		}
		current, owns = owned, true
		answer, err := a.patch(ctx, d, "uid", string(live.GetUID()))
		if !apierrors.IsInvalid(err) {
			return answer, err
		}
		refusal = err
	}
	if owns {
		current.SetManagedFields(owners)
		if _, err := a.rewrite(ctx, d, current); err != nil {
			return nil, err
		}
	}
	return nil, refusal
}

// ownConflicts makes this field manager the only owner of what is in the way, and
// returns the child as it is then; nil if nothing is.
func (a *Applier) ownConflicts(ctx context.Context, d Desired, live client.Object, refusal error, everything bool) (client.Object, error) {
	content, err := contentOf(live)
	if err != nil {
		return nil, err
	}
	paths, err := conflicts(d, live, content, refusedFields(refusal), everything)
	if err != nil || paths.Empty() {
		return nil, err
	}
	entries, err := a.withOwner(d, live.GetManagedFields(), paths)
	if err != nil || entries == nil {
		return nil, err
	}
	live.SetManagedFields(entries)
	return a.rewrite(ctx, d, live)
}

// withOwner returns managedFields in which what is at these paths belongs to this
// field manager alone, as if it had applied it; nil if it does already.
func (a *Applier) withOwner(d Desired, entries []metav1.ManagedFieldsEntry, paths *fieldpath.Set) ([]metav1.ManagedFieldsEntry, error) {
	version := d.Kind.GroupVersion().String()
	ours, taken := fieldpath.NewSet(), paths
	var rest []metav1.ManagedFieldsEntry
	for _, entry := range entries {
		if entry.APIVersion != version || entry.FieldsV1 == nil {
			rest = append(rest, entry)
			continue
		}
		set, err := setOf(entry.FieldsV1.GetRawBytes())
		if err != nil {
			return nil, err
		}
		if entry.Manager == a.Manager && entry.Operation == metav1.ManagedFieldsOperationApply && entry.Subresource == "" {
			ours = set
			continue
		}
		left := set.RecursiveDifference(paths)
		taken = taken.Union(set.Difference(left))
		if left.Empty() {
			continue
		}
		if entry.FieldsV1, err = fieldsV1(left); err != nil {
			return nil, err
		}
		rest = append(rest, entry)
	}
	if taken.Difference(ours).Empty() {
		return nil, nil
	}
	fields, err := fieldsV1(ours.Union(taken))
	now := metav1.Now()
	return append(rest, metav1.ManagedFieldsEntry{
		Manager: a.Manager, Operation: metav1.ManagedFieldsOperationApply, APIVersion: version, Time: &now, FieldsType: "FieldsV1", FieldsV1: fields,
	}), err
}

// isConflict reports whether a refused change of values conflicts with a field that
// is not desired, or with an item beside ours. Only an apply removes such.
func isConflict(d Desired, refusal error) bool {
	return slices.ContainsFunc(refusedFields(refusal), func(field refusedField) bool {
		return field.duplicate || !isDesired(field.path, d.fields())
	})
}

// isDesired reports whether a field, or one above that is not an object, is part of
// a desired value.
func isDesired(path []string, desired any) bool {
	for i, name := range path {
		switch value := desired.(type) {
		case map[string]any:
			below, ok := value[name]
			if !ok {
				return false
			}
			desired = below
		case []any:
			return slices.ContainsFunc(value, func(item any) bool { return isDesired(path[i+1:], item) })
		default:
			return true
		}
	}
	return true
}
