// Package backoff decides how often an operator may repeat itself.
//
//	settings.go    every wait of an operator, in one table
//	budget.go      Budget: the write budget of one object
//	failed.go      Failed: a write that failed, and when its retry is due
//	failures.go    Failures: the failed reconciles of one parent
//	hotloop.go     HotLoop: answers of Sync that differ each time
//	transient.go   which errors often pass by themselves
//
// There is one write budget per parent and object: each child, the parent's status and the parent's metadata. It
// meters repetition: writing the same desired state to the same object again, be it the repair of drift or the
// re-creation of a child that somebody deleted; and the return to a desired state that was written within the last
// minute. The first write of a desired state is free, and so is every answer of Sync that follows a change by
// somebody else. Writes that failed are counted apart: they wait as long, and blame no other writer.
package backoff
