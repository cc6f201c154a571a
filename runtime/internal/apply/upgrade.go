package apply

import (
	"bytes"
	"context"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/util/csaupgrade"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// The managers that the API server makes up.
const (
	beforeFirstApply = "before-first-apply" // of all fields of an object without managedFields, when it is applied to
	ancientChanges   = "ancient-changes"    // of the oldest, where more than ten have updated an object
)

// upgrade makes a child ready for an apply that drops fields. An apply removes
// only what was applied, so that what a plain create has set must count as
// applied first; the defaults among it go, too, and come back. So must what we held
// when the child was last compared, if managedFields does not know us any more. The
// cache holds no managers but ours, so the child is read live. Once done, it is done for
// good; while desired drops nothing, it is not needed. It returns the child as it
// is then.
func (a *Applier) upgrade(ctx context.Context, memo *Memo, d Desired, live client.Object) (client.Object, error) {
	v := a.look(d, live)
	forgotten := v.entry == nil && a.shapes.heldOf(memo.of(d.Key(), live), live) != nil
	if !forgotten && !v.mayDrop(memo, d) {
		return live, nil
	}
	full := a.New()
	err := a.Live.Get(ctx, d.Name, full)
	if apierrors.IsNotFound(err) || err == nil && full.GetUID() != live.GetUID() {
		return nil, ErrStale{d.Key()}
	}
	if err != nil {
		return nil, err
	}
	// What becomes of this one is decided by what is in it.
	if d.Strategy != InPlace && full.GetResourceVersion() != live.GetResourceVersion() {
		return nil, ErrStale{d.Key()}
	}
	if forgotten {
		err = a.restore(memo, d, full)
	} else {
		err = csaupgrade.UpgradeManagedFields(full, sets.New(a.Manager), a.Manager)
	}
	if err != nil {
		return nil, err
	}
	return a.rewrite(ctx, d, full)
}

// mayDrop tells whether a plain create may have set fields of a child that are
// desired no more.
func (v *view) mayDrop(memo *Memo, d Desired) bool {
	if v.others == 0 || d.stamped() && v.object.GetAnnotations()[d.HashKey] == d.Hash && d.owns(v.object) {
		return false
	}
	last := memo.of(d.Key(), v.object)
	return last == nil || last.outdated || last.others != v.others
}

// restore gives us back what we held of a child when it was last compared, as applied.
// Somebody has wiped managedFields since, or there were more than ten managers, of which
// the API server merges the oldest.
func (a *Applier) restore(memo *Memo, d Desired, object client.Object) error {
	held, err := setOf(a.shapes.heldOf(memo.of(d.Key(), object), object))
	if err != nil {
		return err
	}
	rest, err := without(object.GetManagedFields(), held)
	if err != nil {
		return err
	}
	fields, err := fieldsV1(held)
	object.SetManagedFields(append(rest, metav1.ManagedFieldsEntry{
		Manager: a.Manager, Operation: metav1.ManagedFieldsOperationApply, APIVersion: d.Kind.GroupVersion().String(),
		Time: new(metav1.Now()), FieldsType: "FieldsV1", FieldsV1: fields,
	}))
	return err
}

// without returns entries in which managers that the API server makes up hold none of
// the paths in a set.
func without(entries []metav1.ManagedFieldsEntry, set *fieldpath.Set) ([]metav1.ManagedFieldsEntry, error) {
	rest := slices.Clone(entries)
	for i, entry := range entries {
		if !isMadeUp(entry) {
			continue
		}
		theirs, err := setOf(entry.FieldsV1.GetRawBytes())
		if err != nil {
			return nil, err
		}
		if rest[i].FieldsV1, err = fieldsV1(theirs.Difference(set)); err != nil {
			return nil, err
		}
	}
	return rest, nil
}

// isMadeUp reports whether an entry is that of a manager which the API server makes up.
func isMadeUp(entry metav1.ManagedFieldsEntry) bool {
	made := entry.Manager == beforeFirstApply || entry.Manager == ancientChanges
	return made && entry.Operation == metav1.ManagedFieldsOperationUpdate && entry.FieldsV1 != nil
}

// reclaim takes what we have just applied from the managers that the API server makes
// up. They would hold on to what desired drops later. What else they have may be
// anybody's.
func (a *Applier) reclaim(ctx context.Context, d Desired, object client.Object) (client.Object, error) {
	entries := object.GetManagedFields()
	if !slices.ContainsFunc(entries, isMadeUp) {
		return object, nil
	}
	applied, err := setOf(entryOf(object, a.Manager, metav1.ManagedFieldsOperationApply, ""))
	if err != nil {
		return nil, err
	}
	rest, err := without(entries, applied)
	if err != nil || slices.EqualFunc(entries, rest, sameFields) {
		return object, err
	}
	object.SetManagedFields(rest) // of an unstructured object, they are a copy
	return a.rewrite(ctx, d, object)
}

func sameFields(a, b metav1.ManagedFieldsEntry) bool {
	return bytes.Equal(a.FieldsV1.GetRawBytes(), b.FieldsV1.GetRawBytes())
}

func fieldsV1(set *fieldpath.Set) (*metav1.FieldsV1, error) {
	raw, err := set.ToJSON()
	return metav1.NewFieldsV1(string(raw)), err
}

func setOf(raw []byte) (*fieldpath.Set, error) {
	set := fieldpath.NewSet()
	if raw == nil {
		return set, nil
	}
	return set, set.FromJSON(bytes.NewReader(raw))
}

// rewrite writes the field managers of an object. The write is refused if the
// object is no longer what was read.
func (a *Applier) rewrite(ctx context.Context, d Desired, object client.Object) (client.Object, error) {
	return a.merge(ctx, d.Key(), object, map[string]any{"managedFields": object.GetManagedFields()})
}
