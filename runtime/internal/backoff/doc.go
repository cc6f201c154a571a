// Package backoff decides how often an operator may repeat itself.
//
// There is one write budget per parent and object: each child, the parent's status and
// the parent's metadata. It meters repetition: writing the same desired state to the same
// object again, be it the repair of drift, the re-creation of a child that somebody
// deleted, or a write that the API server refused; and the return to a desired state that
// was written within the last minute. The first write of a desired state is free, and so
// is every answer of Sync that follows a change by somebody else.
//
// A second meter counts answers of Sync that are new each time although nobody else has
// changed anything: a hot loop.
//
// All settings stand in one table, settings.go.
package backoff
