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

// reclaim takes what we have just applied, and what we held before, from the managers
// that the API server makes up: for an object whose managedFields somebody had wiped,
// and of the oldest where there are more than ten. They would hold on to what desired
// drops. It returns the object as it is then, and whether another apply is to drop
// something.
func (a *Applier) reclaim(ctx context.Context, memo *Memo, d Desired, object client.Object) (client.Object, bool, error) {
	entries := object.GetManagedFields()
	at := slices.IndexFunc(entries, func(entry metav1.ManagedFieldsEntry) bool {
		return entry.Manager == a.Manager && entry.Operation == metav1.ManagedFieldsOperationApply && entry.Subresource == ""
	})
	if at < 0 || !slices.ContainsFunc(entries, isNobodys) {
		return object, false, nil
	}
	applied, err := setOf(entries[at].FieldsV1.GetRawBytes())
	if err != nil {
		return nil, false, err
	}
	held, err := setOf(a.shapes.heldOf(memo.of(d.Key(), object), object))
	if err != nil {
		return nil, false, err
	}
	changed, dropped := false, fieldpath.NewSet()
	for i, entry := range entries {
		if !isNobodys(entry) {
			continue
		}
		theirs, err := setOf(entry.FieldsV1.GetRawBytes())
		if err != nil {
			return nil, false, err
		}
		dropped = dropped.Union(theirs.Intersection(held).Difference(withParents(applied)))
		rest := theirs.Difference(applied).Difference(held)
		if rest.Equals(theirs) {
			continue
		}
		if entries[i].FieldsV1, err = fieldsV1(rest); err != nil {
			return nil, false, err
		}
		changed = true
	}
	if !changed {
		return object, false, nil
	}
	if entries[at].FieldsV1, err = fieldsV1(applied.Union(dropped)); err != nil {
		return nil, false, err
	}
	object, err = a.rewrite(ctx, d, object)
	return object, !dropped.Empty(), err
}

// withParents returns a set with all that its paths lead through.
func withParents(set *fieldpath.Set) *fieldpath.Set {
	all := fieldpath.NewSet()
	set.Iterate(func(path fieldpath.Path) {
		for i := range path {
			all.Insert(path[:i+1])
		}
	})
	return all
}

// isNobodys reports whether an entry stands for no field manager that writes.
func isNobodys(entry metav1.ManagedFieldsEntry) bool {
	made := entry.Manager == beforeFirstApply || entry.Manager == ancientChanges
	return made && entry.Operation == metav1.ManagedFieldsOperationUpdate && entry.FieldsV1 != nil
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
