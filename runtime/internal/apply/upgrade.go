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

// beforeFirstApply is the manager that the API server makes of all fields of an
// object without managedFields, when it is applied to.
const beforeFirstApply = "before-first-apply"

// upgrade makes a child ready for an apply that drops fields. An apply removes
// only what was applied, so that what a plain create has set must count as
// applied first; the defaults among it go, too, and come back. The cache holds
// no managers but ours, so the child is read live. Once done, it is done for
// good; while desired drops nothing, it is not needed. It returns the child as it
// is then.
func (a *Applier) upgrade(ctx context.Context, memo *Memo, d Desired, live client.Object) (client.Object, error) {
	if !a.look(d, live).mayDrop(memo, d) {
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
	if err := csaupgrade.UpgradeManagedFields(full, sets.New(a.Manager), a.Manager); err != nil {
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

// reclaim takes what we have just applied from the manager that the API server
// makes up for an object whose managedFields somebody had wiped. It would hold
// on to what desired drops later. What else it has may be anybody's.
func (a *Applier) reclaim(ctx context.Context, d Desired, object client.Object) (client.Object, error) {
	entries := object.GetManagedFields()
	i := slices.IndexFunc(entries, func(entry metav1.ManagedFieldsEntry) bool {
		return entry.Manager == beforeFirstApply && entry.Operation == metav1.ManagedFieldsOperationUpdate && entry.FieldsV1 != nil
	})
	if i < 0 {
		return object, nil
	}
	ours, err := smdSet(entryOf(object, a.Manager, metav1.ManagedFieldsOperationApply, ""))
	if err != nil {
		return nil, err
	}
	theirs, err := smdSet(entries[i].FieldsV1.GetRawBytes())
	if err != nil {
		return nil, err
	}
	rest := theirs.Difference(ours)
	if rest.Equals(theirs) {
		return object, nil
	}
	raw, err := rest.ToJSON()
	if err != nil {
		return nil, err
	}
	entries[i].FieldsV1 = metav1.NewFieldsV1(string(raw))
	return a.rewrite(ctx, d, object)
}

func smdSet(raw []byte) (*fieldpath.Set, error) {
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
