// Package project reads the spec files of a project, and does what commands do with them: add and
// remove APIs and controllers, and check the tree.
//
//	Load    folder                → *Project               every spec file, parsed and checked together
//	Add     *Project, spec file   → Addition               the input with one more API or controller
//	Input   *Project              → scaffold.Input → scaffold.ReadGo → scaffold.Plan
//	Check   *Project, changes     → []Finding              what opgen check reports
//	Record  folder                → what the last run found out; IsCurrent, Load, Save
//
// The package only writes the record, in the user's cache folder. Package scaffold plans and writes
// the files of a project; cmd/opgen parses flags and prints.
package project
