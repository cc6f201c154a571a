// Package spec is the spec language of opgen, and its parser.
//
//	ParseProject    opgen.yaml          → *Project
//	ParseAPI        api/*.yaml          → *API
//	ParseTypes      api/*.yaml          → *SharedTypes
//	ParseController controllers/*.yaml  → *Controller
//	Check           all of them         → problems of several files together
//	Describe        the tables          → *Language, for editors and docs/spec.md
//
// The language is a table (language.go). Each mapping of a spec file is a Mapping in keys_*.go, and
// each of its keys is a row, with a value that decodes and describes itself. values.go and
// *_forms.go have the values, and rules.go has conditions on several keys. keyword_table.go has a
// row for each keyword of a schema, with its marker, and typewords.go for each type of the
// shorthand.
//
// A file is parsed in these steps:
//
//	source     source.go                  checks that the bytes are visible text of a sensible size
//	document   document.go, syntax.go     parses one plain YAML document, and explains syntax errors
//	decode     decode.go, language.go     decodes the nodes by the rows, with the position of each
//	schemas    openapi.go, trees.go       decodes schemas in the form of a mapping
//	           shorthand.go, markers.go   decodes schemas in the shorthand: "string | minLength=1" becomes
//	                                      {type: string, minLength: 1}, through the same rows
//	complete   finish of each Mapping     sets defaults, such as the plural and the standard status
//
// A parse returns either a value or Problems: all errors of the file at once, each with its
// position, a message and a hint. The package reads no files, and knows neither Go code nor CRDs.
// Package crdgen checks with the code of the API server what a schema means to Kubernetes. The
// reference for authors is docs/spec.md.
package spec
