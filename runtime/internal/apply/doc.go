// Package apply brings one child to its desired state with as few calls as
// possible, and with none when it is there already.
//
//	NewDesired   object          → Desired   canonical, hashed
//	Applier.Do   Desired + live  → Outcome   server-side apply where the memo asks for it
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
// Without a memo, after a restart, the desired state itself is compared at the
// owned paths; where normalisation makes it differ, one apply settles it, unless
// the child carries the hash of what is desired.
package apply
