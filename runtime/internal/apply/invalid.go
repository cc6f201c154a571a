package apply

import (
	"context"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/opgen-dev/opgen/runtime/internal/declared"
	"github.com/opgen-dev/opgen/runtime/internal/managedfields"
)

// invalidApply is an apply to a live child that the API server refused as invalid.
type invalidApply struct {
	client  childClient
	desired Desired
	live    client.Object
}

// outcome returns NeedsRecreation if the apply changes an immutable field and the child's policy allows to
// recreate it. Otherwise it returns an error: ErrImmutable; ErrStale if the UID or the owner
// references were refused, because the child is another object or another parent's by now; or the
// refusal itself.
func (i invalidApply) outcome(ctx context.Context, refusal error) (Outcome, error) {
	fields := refusedFields(refusal)
	names := func(name string) bool {
		return slices.ContainsFunc(fields, func(field refusedField) bool { return field.name == name })
	}
	immutable := slices.DeleteFunc(slices.Clone(fields), func(field refusedField) bool { return field.duplicate })
	switch {
	case names("metadata.uid"):
		return Outcome{}, errConflict{ErrStale{i.desired.Key()}, refusal}
	case len(immutable) == 0 || !i.client.isCreatable(ctx, i.desired): // refused by a policy, or invalid in itself
		return Outcome{}, refusal
	case names("metadata.ownerReferences"):
		return Outcome{}, errConflict{ErrStale{i.desired.Key()}, refusal}
	case i.desired.WhenImmutable == declared.RecreateIfImmutable:
		return Outcome{Action: NeedsRecreation, Object: i.live}, nil
	}
	return Outcome{}, newErrImmutable(refusal, i.desired, immutable)
}

// retryOverInvalidating repeats an apply that was refused because of fields that other managers set
// beside the desired ones: a port of the same name, a second source of a volume. Such a field
// results from an edit of one of ours: an edit of a list's key moves the item, and an apply adds
// ours beside it.
//
// First it makes this field manager the owner of the invalidating fields, so that the apply removes
// them. If there are none, or the apply is refused again, it returns the refusal and leaves all
// fields with their former owners.
func (i invalidApply) retryOverInvalidating(ctx context.Context, refusal error) (client.Object, error) {
	d := i.desired
	fields := refusedFields(refusal)
	inMetadata := func(field refusedField) bool { return field.path[0] == "metadata" }
	if len(fields) == 0 || slices.ContainsFunc(fields, inMetadata) { // another object by now, or another parent's
		return nil, refusal
	}
	current, err := i.client.readLive(ctx, d.Name)
	if err != nil || current.GetUID() != i.live.GetUID() {
		return nil, refusal
	}
	formerOwners, changed := current.GetManagedFields(), false
	for _, includePossible := range []bool{false, true} {
		owned, err := i.takeInvalidatingFields(ctx, current, refusal, includePossible)
		if err != nil {
			return nil, err
		}
		if owned == nil {
			continue
		}
		current, changed = owned, true
		answer, err := i.client.applyDesired(ctx, d, i.live.GetUID())
		if !apierrors.IsInvalid(err) {
			return answer, err
		}
		refusal = err
	}
	if changed {
		current.SetManagedFields(formerOwners)
		if _, err := i.client.writeManagedFields(ctx, d, current); err != nil {
			return nil, err
		}
	}
	return nil, refusal
}

// takeInvalidatingFields makes this field manager the only owner of the invalidating fields, and
// returns the child with the new owners. It returns nil if there is nothing to take.
func (i invalidApply) takeInvalidatingFields(ctx context.Context, current client.Object, refusal error, includePossible bool) (client.Object, error) {
	content, err := contentOf(current)
	if err != nil {
		return nil, err
	}
	paths := i.desired.invalidatingPaths(current, content, refusedFields(refusal), includePossible)
	if paths.Empty() {
		return nil, nil
	}
	entries, err := withSoleOwner(current.GetManagedFields(), i.client.manager, i.desired.Kind.GroupVersion().String(), paths)
	if err != nil || entries == nil {
		return nil, err
	}
	current.SetManagedFields(entries)
	return i.client.writeManagedFields(ctx, i.desired, current)
}

// withSoleOwner returns managedFields in which a field manager alone owns these paths, as if it had
// applied them. It returns nil if the manager owns them already.
func withSoleOwner(entries []metav1.ManagedFieldsEntry, manager, version string, paths *fieldpath.Set) ([]metav1.ManagedFieldsEntry, error) {
	ours, taken := fieldpath.NewSet(), paths
	var rest []metav1.ManagedFieldsEntry
	for _, entry := range entries {
		if entry.APIVersion != version || entry.FieldsV1 == nil {
			rest = append(rest, entry)
			continue
		}
		set := parseFields(entry)
		if entry.Manager == manager && entry.Operation == metav1.ManagedFieldsOperationApply && entry.Subresource == "" {
			ours = set
			continue
		}
		left := set.RecursiveDifference(paths)
		taken = taken.Union(set.Difference(left))
		if left.Empty() {
			continue
		}
		var err error
		if entry.FieldsV1, err = managedfields.Format(left); err != nil {
			return nil, err
		}
		rest = append(rest, entry)
	}
	if taken.Difference(ours).Empty() {
		return nil, nil
	}
	entry, err := newAppliedEntry(manager, version, ours.Union(taken))
	return append(rest, entry), err
}

// isDesired reports whether a path leads to a desired value, or to a value within one that is not
// an object.
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

// isCausedByDryRunName reports whether the dry run of a create was refused only because it has
// another name than the child: some kinds validate the name, and the child exists beside it, with
// its node port and its share of the quota.
func isCausedByDryRunName(refusal error) bool {
	if apierrors.IsForbidden(refusal) {
		return strings.Contains(refusal.Error(), "exceeded quota")
	}
	fields := refusedFields(refusal)
	return len(fields) > 0 && !slices.ContainsFunc(fields, func(field refusedField) bool {
		return field.name != "metadata.name" && !strings.Contains(field.message, "already allocated")
	})
}
