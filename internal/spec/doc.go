// Package spec is opgen's spec language: it turns spec files into values.
//
//	ParseProject    opgen.yaml          → *Project
//	ParseAPI        api/*.yaml          → *API
//	ParseTypes      api/*.yaml          → *SharedTypes
//	ParseController controllers/*.yaml  → *Controller
//	Check           all of them         → what only several files together can get wrong
//	Describe        the tables          → what editors and docs/spec.md say of the language
//
// The language is a table (language.go). Each mapping is a Mapping in keys_*.go, and each of its
// keys a row, which decodes itself and describes itself; values.go and *_forms.go have what a value
// can be, rules.go which keys exclude or require others. keywords.go has a row for each keyword of
// a schema, with its marker, and typewords.go one for each word of a type.
//
// A parse checks that the bytes are text (source.go) and one plain YAML document (document.go,
// syntax.go). It then walks the nodes with a decoder (decode.go), which knows the position of each.
// Schemas come in two forms, as OpenAPI keywords (openapi.go, trees.go) and in the shorthand
// (shorthand.go, markers.go), whose markers are decoded as the keywords they stand for. What a file
// leaves out is filled in: the plural, the storage version, the standard status, the defaults of
// keys.
//
// Every error of a file is reported at once, as Problems; a value comes only without any. The
// package reads no files and knows nothing of Go code or of CustomResourceDefinitions; what a
// schema means to Kubernetes is checked by package crdgen with the apiserver's own code. The
// reference for authors is docs/spec.md.
package spec
