// Package apply brings one child to its desired state with as few calls as
// possible, and with none when it is there already.
//
//	NewDesired   object          → Desired   canonical, hashed
//	Applier.Do   Desired + live  → Outcome   a create, then server-side apply where the memo asks for it
//	Applier.Delete                           by UID
//
// Desired and live objects never compare equal field by field, because the
// API server fills in defaults and normalises values. So the [Memo] compares
// what the server said with what the server says now:
//
//	level 1  same UID, desired hash and resource version      nothing happened
//	level 2  same values at the paths that we own             others' changes only
//	else     drift, or a new desired state                    apply
//
// The paths that we own are those of our field manager's entry in the object's
// managedFields, which is why every write is a patch whose response is read.
//
// Without a memo, after a restart, the child itself tells: it carries the hash
// of what was desired when it was applied, and a value that anyone else has
// changed since is no longer among the paths that we own. So a child with the
// right hash and all its paths is as desired. Only a child without a hash, as
// older versions made it, is compared value by value.
//
// A child that was created, and of which only values change, gets them by a JSON
// patch: it goes on as created. Everything else is an apply.
//
// A repair that others undo is not repeated at once: see [Contested].
//
// The files follow a child's way: canonical.go and desired.go say what it
// should be, fieldset.go, view.go and cover.go what we own in it, memo.go
// judges, and applier.go, create.go, revise.go, replace.go, adopt.go, fight.go
// and upgrade.go act; merge.go writes what an apply cannot.
package apply
