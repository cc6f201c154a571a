package apply

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/util/csaupgrade"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/opgen-dev/opgen/runtime/internal/backoff"
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
func (c *childApply) takeFieldOwnership(ctx context.Context, live client.Object) (client.Object, error) {
	d, owned := c.desired, c.readOwned(live)
	last := c.state.childWithUID(d.Key(), live)
	isWiped := owned.entry == nil && (recordedEntry(last, live) != nil || d.carriesHash() && !d.IsOutdated(live))
	if !isWiped && !c.mayDrop(owned) {
		return live, nil
	}
	full, err := c.client.readSame(ctx, d, live) // the cache holds no other field managers
	if err != nil {
		return nil, err
	}
	// What the strategy does depends on the version that was compared.
	rules := d.Update.Rules()
	if (rules.Recreates || !rules.WritesChanges) && full.GetResourceVersion() != live.GetResourceVersion() {
		return nil, ErrStale{d.Key()}
	}
	if !isWiped {
		err = csaupgrade.UpgradeManagedFields(full, sets.New(c.manager), c.manager)
	} else {
		entry := recordedEntry(last, full)
		if entry == nil {
			if entry, err = entryOfCreate(ctx, c.client, d, full); entry == nil {
				return live, err
			}
		}
		err = restoreEntry(full, c.manager, d.Kind.GroupVersion().String(), entry)
	}
	if err != nil {
		return nil, err
	}
	return c.client.writeManagedFields(ctx, d, full)
}

// entryOfCreate returns the managedFields entry of a create of the desired state, as a dry run shows
// it: the desired fields and the defaults beside them. It leaves out those that the child has with
// another value. It returns nil if the API server refuses the dry run, for example because of a
// quota: the apply is then the best that can be done.
func entryOfCreate(ctx context.Context, c childClient, d Desired, live client.Object) ([]byte, error) {
	created, err := c.createChild(ctx, withDryRunName(d), client.DryRunAll)
	if errors.As(err, new(*apierrors.StatusError)) && !backoff.IsTransient(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	entry := managedEntry(created, c.manager, metav1.ManagedFieldsOperationUpdate, "")
	there, err := contentOf(created)
	if err != nil {
		return nil, err
	}
	here, err := contentOf(live)
	if err != nil {
		return nil, err
	}
	differing, err := json.Marshal(parseFieldset(entry).withDifferentValues(there, here).asFields())
	if err != nil {
		return nil, err
	}
	set, err := parseSet(entry)
	if err != nil {
		return nil, err
	}
	others, err := parseSet(differing)
	if err != nil {
		return nil, err
	}
	return set.RecursiveDifference(others).ToJSON()
}

// withDifferentValues returns the paths in a set at which two objects have different values.
func (s fieldset) withDifferentValues(a, b any) fieldset {
	var different fieldset
	partsA, partsB := partsOf(a), partsOf(b)
	for _, one := range s {
		valueA, inA := partsA.follow(one.name)
		valueB, inB := partsB.follow(one.name)
		switch {
		case !inA || !inB || one.below == nil && !equalValues(valueA, valueB):
			different = append(different, step{name: one.name})
		case one.below != nil:
			if below := one.below.withDifferentValues(valueA, valueB); below != nil {
				different = append(different, step{one.name, below})
			}
		}
	}
	return different
}

// asFields returns a set as managedFields holds it, decoded.
func (s fieldset) asFields() map[string]any {
	fields := map[string]any{}
	for _, step := range s {
		fields[step.name] = step.below.asFields()
	}
	return fields
}

// mayDrop reports whether a create may have set fields of the child that are no longer desired.
func (c *childComparer) mayDrop(owned *ownedFields) bool {
	d := c.desired
	if owned.extraCreated == 0 || d.carriesHash() && owned.object.GetAnnotations()[d.HashKey] == d.Hash && d.hasOwnership(owned.object) {
		return false
	}
	last := c.state.childWithUID(d.Key(), owned.object)
	return last == nil || last.leftOutdated || last.extraCreated != owned.extraCreated
}

// restoreEntry adds an entry that a field manager had to an object's managedFields, as an apply.
// Somebody has wiped managedFields since, or more than ten managers have updated the object, of
// which the API server merges the oldest.
func restoreEntry(object client.Object, manager, version string, entry []byte) error {
	set, err := parseSet(entry)
	if err != nil {
		return err
	}
	rest, err := withoutPaths(object.GetManagedFields(), set)
	if err != nil {
		return err
	}
	fields, err := newFieldsV1(set)
	object.SetManagedFields(append(rest, metav1.ManagedFieldsEntry{
		Manager: manager, Operation: metav1.ManagedFieldsOperationApply, APIVersion: version,
		Time: new(metav1.Now()), FieldsType: "FieldsV1", FieldsV1: fields,
	}))
	return err
}

// withoutPaths returns entries in which generated field managers own none of the paths in a set.
func withoutPaths(entries []metav1.ManagedFieldsEntry, set *fieldpath.Set) ([]metav1.ManagedFieldsEntry, error) {
	rest := slices.Clone(entries)
	for i, entry := range entries {
		if !isGenerated(entry) {
			continue
		}
		theirs, err := parseSet(entry.FieldsV1.GetRawBytes())
		if err != nil {
			return nil, err
		}
		if rest[i].FieldsV1, err = newFieldsV1(theirs.Difference(set)); err != nil {
			return nil, err
		}
	}
	return rest, nil
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
	applied, err := parseSet(managedEntry(object, c.manager, metav1.ManagedFieldsOperationApply, ""))
	if err != nil {
		return nil, err
	}
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

// newFieldsV1 returns a set as managedFields holds it.
func newFieldsV1(set *fieldpath.Set) (*metav1.FieldsV1, error) {
	raw, err := set.ToJSON()
	return metav1.NewFieldsV1(string(raw)), err
}

// parseSet reads a set as managedFields holds it.
func parseSet(raw []byte) (*fieldpath.Set, error) {
	set := fieldpath.NewSet()
	if raw == nil {
		return set, nil
	}
	return set, set.FromJSON(bytes.NewReader(raw))
}
