// Package reference describes the spec language to people and to editors. Each key, keyword, marker and type has one
// entry in a table, with what it means, its default and the values it takes, and two things are made from the tables:
//
//	JSONSchema, KindSchema   JSON Schema of the spec files, which opgen schema prints and every project has a copy of
//	docs/spec.md             the reference for authors, written by make docs from docs/spec.md.tmpl
//
// The tables: keys_project.go, keys_api.go, keys_controller.go and keys_operator.go have the keys of the files, keywords.go those of a
// schema, types.go and markers.go the words of the shorthand, whose pattern is in shorthand.go. The tests hold them
// against package spec: each name that the parser accepts is in a table, each name in a table is accepted, and what
// the parser refuses the JSON Schema refuses too, but for what no schema can see.
package reference
