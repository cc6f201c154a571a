// Package tree has the files of a project: those that it is to have, and those that a folder has.
//
//	NewFileSet  []File             → *FileSet  all files of a project, in memory
//	Diff        *FileSet, a folder → *Changes  what would happen to the folder
//	Apply       *Changes           → disk      the only write of opgen
//
// A file is either Generated or Once. opgen.lock lists the Generated files of a project with their
// checksums. Only a file that still has the checksum listed there is ever replaced or removed, so
// that no edit is lost.
//
// Apply writes opgen.lock first, with the checksums of changing files from before and after. So when
// it is stopped, the next run finds files with either checksum, knows that both are opgen's, and
// completes the change.
package tree
