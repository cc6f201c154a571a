package apply

import (
	"bytes"
	"context"
	"errors"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/util/csaupgrade"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/opgen-dev/opgen/runtime/internal/backoff"
	"github.com/opgen-dev/opgen/runtime/internal/managedfields"
)

// The field managers that the API server generates.
const (
	beforeFirstApply = "before-first-apply" // owns all fields of an object without managedFields at its first apply
	ancientChanges   = "ancient-changes"    // replaces the oldest managers if more than ten have updated an object
)

// takeFieldOwnership makes a child ready for an apply that drops fields, and returns the child with
// the new owners. An apply removes only what was applied, so that the fields of a create have to
// count as applied first. Defaults among them are removed, too, and set again. The same goes for
// the fields that were ours when the child was last compared, if managedFields has no entry of ours
// any more. After a restart nothing is recorded: then the fields count that a create would own. A
// child needs this once, and only if the desired state drops something or its entry is missing.
// Fields that are handed over lose us as their owner in the same write, so that the apply keeps them.
func (c *childApply) takeFieldOwnership(ctx context.Context, live client.Object) (client.Object, error) {
	d := c.desired
	owned, err := c.readOwned(live)
	if err != nil {
		return nil, err
	}
	last := c.state.childWithUID(d.Key(), live)
	isWiped := owned.entry == nil && (recordedEntry(last, live) != nil || d.carriesHash() && !d.IsOutdated(live))
	isCreated := !isWiped && (c.mayDrop(owned) || c.lagging != nil && owned.isCreated)
	if !isWiped && !isCreated && c.lagging == nil && !owned.ownsHandedOver(d) {
		return live, nil
	}
	full, err := c.readForOwnership(ctx, live)
	if err != nil {
		return nil, err
	}
	// What the strategy does depends on the version that was compared.
	rules := d.Update.Rules()
	if (rules.Recreates || !rules.WritesChanges) && full.GetResourceVersion() != live.GetResourceVersion() {
		return nil, ErrStale{d.Key()}
	}
	switch {
	case isWiped:
		var entry *fieldpath.Set
		if entry, err = c.formerEntry(ctx, last, full); entry == nil {
			return live, err
		}
		err = restoreEntry(full, c.manager, d.Kind.GroupVersion().String(), entry)
	case isCreated:
		err = csaupgrade.UpgradeManagedFields(full, sets.New(c.manager), c.manager)
	}
	if err != nil {
		return nil, err
	}
	handsOver, err := d.handOver(full, c.manager)
	if err != nil {
		return nil, err
	}
	takes, err := c.lagging.takeOwnership(full, c.manager, d.Kind.GroupVersion().String())
	if err != nil || !isWiped && !isCreated && !handsOver && !takes { // the cache did not show it yet
		return full, err
	}
	return c.client.writeManagedFields(ctx, d, full)
}

// readForOwnership returns the child with the entries of all field managers, which the cache does not hold.
func (c *childApply) readForOwnership(ctx context.Context, live client.Object) (client.Object, error) {
	if c.lagging != nil {
		return c.lagging.live, nil
	}
	return c.client.readSame(ctx, c.desired, live)
}

// formerEntry returns the fields that were ours when the child was last compared; if that is not
// recorded, those that a create of the desired state owns.
func (c *childApply) formerEntry(ctx context.Context, last *appliedChild, live client.Object) (*fieldpath.Set, error) {
	if entry := recordedEntry(last, live); entry != nil {
		return managedfields.Parse(entry), nil
	}
	return c.client.entryOfCreate(ctx, c.desired, live)
}

// recordedEntry returns the managedFields entry that was recorded of an object. It is nil if there
// is none.
func recordedEntry(last *appliedChild, object client.Object) []byte {
	if last == nil || last.entry == "" {
		return nil
	}
	return managedfields.Restore(object, []byte(last.entry))
}

// entryOfCreate returns the fields that a create of the desired state owns, as a dry run shows them:
// the desired fields and the defaults beside them. It leaves out those that the child has with
// another value. It returns nil if the API server refuses the dry run, for example because of a
// quota: the apply is then the best that can be done.
func (c childClient) entryOfCreate(ctx context.Context, d Desired, live client.Object) (*fieldpath.Set, error) {
	created, err := c.createDryRun(ctx, d)
	if isRefused(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	there, err := contentOf(created)
	if err != nil {
		return nil, err
	}
	here, err := contentOf(live)
	if err != nil {
		return nil, err
	}
	set := managedfields.Parse(managedfields.Entry(created, c.manager, metav1.ManagedFieldsOperationUpdate, ""))
	return set.RecursiveDifference(differentPaths(set, there, here)), nil
}

// isRefused reports whether the API server refuses a request for a reason that does not pass by itself.
func isRefused(err error) bool {
	return errors.As(err, new(*apierrors.StatusError)) && !backoff.IsTransient(err)
}

// differentPaths returns the paths in a set at which two objects have different values.
func differentPaths(set *fieldpath.Set, a, b map[string]any) *fieldpath.Set {
	different := fieldpath.NewSet()
	enter := func(p *managedfields.Node) bool {
		inBoth := p.Desired.Exists && p.Live.Exists
		if !inBoth || p.Below == nil && !equalValues(p.Desired.Value, p.Live.Value) {
			different.Insert(p.Path())
		}
		return inBoth
	}
	managedfields.Rules{Enter: enter}.Walk(set, a, b)
	return different
}

// mayDrop reports whether a create may have set fields of the child that are no longer desired.
func (c *childComparer) mayDrop(owned *ownedFields) bool {
	d := c.desired
	if owned.extraCreated != 0 && d.inPlacePatch(owned.object, c.manager).drops {
		return true
	}
	if owned.extraCreated == 0 || d.carriesHash() && owned.object.GetAnnotations()[d.HashKey] == d.Hash && d.hasOwnership(owned.object) {
		return false
	}
	last := c.state.childWithUID(d.Key(), owned.object)
	return last == nil || last.leftOutdated || last.extraCreated != owned.extraCreated
}

// restoreEntry adds an entry that a field manager had to an object's managedFields, as an apply.
// Somebody has wiped managedFields since, or more than ten managers have updated the object, of
// which the API server merges the oldest.
func restoreEntry(object client.Object, manager, version string, set *fieldpath.Set) error {
	rest, err := withoutPaths(object.GetManagedFields(), set)
	if err != nil {
		return err
	}
	entry, err := newAppliedEntry(manager, version, set)
	object.SetManagedFields(append(rest, entry))
	return err
}

// newAppliedEntry returns the entry of a field manager that has applied the paths in a set.
func newAppliedEntry(manager, version string, set *fieldpath.Set) (metav1.ManagedFieldsEntry, error) {
	fields, err := managedfields.Format(set)
	return metav1.ManagedFieldsEntry{
		Manager: manager, Operation: metav1.ManagedFieldsOperationApply, APIVersion: version,
		Time: new(metav1.Now()), FieldsType: "FieldsV1", FieldsV1: fields,
	}, err
}

// withoutPaths returns entries in which generated field managers own none of the paths in a set.
func withoutPaths(entries []metav1.ManagedFieldsEntry, set *fieldpath.Set) ([]metav1.ManagedFieldsEntry, error) {
	rest := slices.Clone(entries)
	for i, entry := range entries {
		if !isGenerated(entry) {
			continue
		}
		var err error
		if rest[i].FieldsV1, err = managedfields.Format(parseFields(entry).Difference(set)); err != nil {
			return nil, err
		}
	}
	return rest, nil
}

// parseFields returns the fields of an entry.
func parseFields(entry metav1.ManagedFieldsEntry) *fieldpath.Set {
	return managedfields.Parse(entry.FieldsV1.GetRawBytes())
}

// ownedBy returns the fields of some entries of an object.
func ownedBy(object client.Object, some func(metav1.ManagedFieldsEntry) bool) *fieldpath.Set {
	owned := fieldpath.NewSet()
	for _, entry := range object.GetManagedFields() {
		if entry.FieldsV1 != nil && some(entry) {
			owned = owned.Union(parseFields(entry))
		}
	}
	return owned
}

// isGenerated reports whether an entry belongs to a field manager that the API server generates.
func isGenerated(entry metav1.ManagedFieldsEntry) bool {
	generated := entry.Manager == beforeFirstApply || entry.Manager == ancientChanges
	return generated && entry.Operation == metav1.ManagedFieldsOperationUpdate && entry.FieldsV1 != nil
}

// removeGeneratedOwners removes the fields that we just applied from the field managers that the
// API server generates, which would keep what the desired state drops later. Their other fields may
// have any owner, and stay.
func (c childClient) removeGeneratedOwners(ctx context.Context, d Desired, object client.Object) (client.Object, error) {
	entries := object.GetManagedFields()
	if !slices.ContainsFunc(entries, isGenerated) {
		return object, nil
	}
	applied := managedfields.Parse(managedfields.Entry(object, c.manager, metav1.ManagedFieldsOperationApply, ""))
	rest, err := withoutPaths(entries, applied)
	if err != nil || slices.EqualFunc(entries, rest, sameFields) {
		return object, err
	}
	object.SetManagedFields(rest) // an unstructured object returns a copy of them
	return c.writeManagedFields(ctx, d, object)
}

// sameFields reports whether two entries hold the same fields.
func sameFields(a, b metav1.ManagedFieldsEntry) bool {
	return bytes.Equal(a.FieldsV1.GetRawBytes(), b.FieldsV1.GetRawBytes())
}
