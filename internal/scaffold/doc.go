// Package scaffold turns the values of spec files into a project tree.
//
//	ReadGo  Input            → Source    completed from the Go source of the project
//	Plan    Source           → *FileSet  all content, in memory
//	Diff    *FileSet, tree   → *Changes  what would happen to a tree
//	Apply   *Changes         → disk      the only write of opgen
//
// The table of files is in manifest.go. Plan either returns a whole project or an error, and Apply
// makes all changes or none.
//
// A file is either Generated or Once. opgen.lock lists the Generated files of a tree with their
// checksums. Only a file that still has the checksum listed there is ever replaced or removed, so
// that no edit is lost.
package scaffold
