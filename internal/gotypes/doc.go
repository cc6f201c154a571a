// Package gotypes reads Go source for opgen, with controller-tools: where the spec language names a
// Go type instead of saying a schema, the schema is what controller-gen would make of that type.
//
//	Resolve   uses of Go types by import path  → the schema of each node, filled in
//	Versions  versions with goTypes: true      → the versions as their author's Go types have them, deepcopy code, and the packages
//
// Both load packages, which takes a good part of a second; nobody calls them without a reason. The
// go command decides where a package comes from, by the module files of the folder that it runs in.
// Nothing is written: files that are to be generated, and not there yet, are read from memory.
package gotypes
