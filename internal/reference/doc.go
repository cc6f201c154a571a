// Package reference describes the spec language to people and to editors. It walks the tables of
// package spec and makes two things from them:
//
//	JSONSchema, KindSchema   JSON Schema of the spec files, which opgen schema prints and every project has a copy of
//	docs/spec.md             the reference for authors, written by make docs from docs/spec.md.tmpl
//
// The tables describe mappings and keywords themselves; documents.go puts them together. What a
// schema is, in either form, is in schemas.go: the shorthand is one regular expression
// (shorthand.go), made from the words of types and the markers (markers.go). The tests compare the
// JSON Schema with the parser: it refuses what the parser refuses, but for what no schema can see.
package reference
