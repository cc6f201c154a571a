// Package gotypes reads Go source for opgen, with controller-tools. Where a spec file names a Go
// type instead of writing a schema, the schema is the one that controller-gen would make of the
// type.
//
//	Resolve   uses of Go types by import path  → the schema of each node, filled in
//	Versions  versions with goTypes: true      → the versions as their author's Go types have them, deepcopy code, and the packages
//
// Both load the packages of all uses at once, because each run of the go command takes a second.
// Both return the problems of all types, each at its position in the Go source or at the node that
// names it.
package gotypes
