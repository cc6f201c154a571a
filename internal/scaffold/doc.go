// Package scaffold turns the values of spec files into a project tree.
//
//	Plan    spec files       → FileSet   all content, in memory
//	Diff    FileSet, tree    → Changes   what would happen to a tree
//	Apply   Changes          → disk      the only write of opgen
//
// What a project consists of is one table: see manifest.go. Plan fails whole, so a FileSet never
// holds a project that is half rendered, and Apply writes everything or nothing.
//
// A file is either Generated or Once. opgen.lock lists the Generated files of a tree with their
// checksums; only a file that is listed there, with the checksum it has there, is ever replaced or
// removed.
package scaffold
