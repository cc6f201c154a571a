// Package status writes what changes in the status of a parent.
//
//	access.go       reaches into a status, whose Go type only generated code knows
//	conditions.go   merges the runtime's conditions and the author's into those that exist
//	difference.go   compares two statuses, and turns the difference into a JSON patch
//	memory.go       remembers the last write, and finds what somebody else has changed since
//	live.go         reads a parent whose cache is behind
//	writer.go       writes, within the budgets of the memory
package status
