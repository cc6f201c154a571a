// Package apply brings one child to its desired state with as few requests as possible, and with
// none if it is in sync.
//
//	NewDesired          object             → Desired   canonical, with its hash
//	Applier.ApplyChild  Desired, observed  → Outcome   creates, then applies where the child differs
//	Applier.Delete                                     deletes by UID and resource version
//
// A version of a child counts as in sync only after its values were compared with the desired
// state. The [AppliedState] records which version that was, so that each version is compared once:
//
//	same UID, desired state and resource version   the child is in sync
//	values and paths as desired                    others changed other fields: the child is in sync
//	otherwise                                      it drifted or is outdated: apply
//
// It compares the values at the paths that the field manager owns by managedFields. These identify
// the items of lists by their keys, and say which values are atomic. A desired path that the
// manager does not own any more is drift, too, because the manager could not remove it later.
//
// The API server normalizes values, and admission changes them. Values that differ right after a
// write of the whole desired state are recorded as altered (altered.go). They count as in sync
// until they change, and are written again hourly and after a restart.
//
// After a restart there is no applied state. The child is compared in the same way, and its hash
// says whether the desired state has dropped a field since the last write. If the cache holds only
// metadata, each version of a child is read once.
//
// A child that was created and never applied gets changed values by a JSON patch, and stays as
// created. Everything else is an apply. Repeated and failed writes back off: see package backoff.
//
// The files, in the order in which a child passes through them:
//
//	canonical, normal, desired, strategy          the desired state, and what a strategy does
//	generated                                     the values that the runtime generates
//	owned_fields                                  the fields that we own, by package managedfields
//	compare_values, defaults, altered             where values differ
//	applied_state, compare_live                   the result of a comparison, recorded for the next one
//	applier, child                                what to do
//	client, create, adopt, recreate, value_patch  the writes
//	invalid, refusal, invalidating_paths,         refused writes, and their causes
//	immutable, errors, secrecy
//	evict                                         a deletion that a PodDisruptionBudget may refuse
//	as_it_is                                      fields that an adopted child keeps
//	object_patch                                  fields of objects of others
//	keep_desired                                  the desired state, in an annotation of the child
//	in_place                                      labels and annotations that wait for nothing
//	field_ownership, hand_over, empty             what an apply needs in order to drop fields, or to keep them
//	repeat, other_manager                         repeated writes, and who makes them necessary
//	orphan, metadata, encode                      what callers need in addition to an apply
package apply
