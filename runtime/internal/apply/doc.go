// Package apply brings one child to its desired state with as few calls as
// possible, and with none when it is there already.
//
//	NewDesired   object          → Desired   canonical, hashed
//	Applier.Do   Desired + live  → Outcome   a create, then server-side apply where the child differs
//	Applier.Delete                           by UID
//
// One rule holds everywhere: no version of a child counts as verified unless its values
// were compared with desired. The [Memo] notes which version that was, so that it is
// compared once:
//
//	same UID, desired hash and resource version   nothing happened
//	values and paths as desired                   others changed something else
//	else                                          drift, or a new desired state: apply
//
// Values are compared at the paths that we own: those of our field manager's entry in
// the object's managedFields, which say where a list goes by its items' keys and where a
// value belongs to us as a whole. A path that is not ours any more is drift, too, since
// what desired drops later could not be removed.
//
// The API server normalizes values and admission changes them. What differs right after
// a write of the whole desired state is noted as altered (altered.go): it counts as
// desired until something changes, and is written again after a start, and hourly.
//
// Without a memo, after a restart, a child is compared in the same way, and carries the
// hash of what was desired when it was written: it tells whether something was dropped
// since. Of children of which only the metadata is cached each version is read once.
//
// A child that was created, and of which only values change, gets them by a JSON
// patch: it goes on as created. Everything else is an apply.
//
// A write that has to be repeated is not repeated at once: see package backoff.
//
// The files follow a child's way: canonical.go, normal.go and desired.go say what it
// should be, fieldset.go and view.go what we own in it, compare.go how it differs,
// memo.go what is known, judge.go decides, and applier.go, create.go, revise.go,
// replace.go, adopt.go, manager_conflict.go and upgrade.go act; merge.go writes what an apply
// cannot.
package apply
