// Package reference describes the spec language to people and to editors. It walks the tables of
// package spec, so that a new key or keyword needs no change here:
//
//	JSONSchema, KindSchema   JSON Schema of the spec files, which opgen schema prints and every project has a copy of
//	docs/spec.md             the reference for authors, which make docs generates from docs/spec.md.tmpl
//
// The tables describe mappings and keywords. This package adds what a table cannot say: what kinds
// of spec files there are (documents.go), where schemas can be used (schemas.go), and the syntax of
// the shorthand as regular expressions (shorthand.go, markers.go).
package reference
