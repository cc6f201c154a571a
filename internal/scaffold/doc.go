// Package scaffold turns the values of spec files into the files of a project.
//
//	ReadGo  Input    → Source         completed from the Go source of the project
//	Plan    Source   → *Planned       all content, in memory
//	Diff    *Planned → *tree.Changes  what would happen to a tree
//
// The table of files is in manifest.go. Plan either returns a whole project or an error. What
// happens to files on disk is in package tree.
package scaffold
