// Package spec is opgen's spec language: it turns spec files into values.
//
//	ParseProject   opgen.yaml          → *Project
//	ParseAPI       api/*.yaml          → *API
//	ParseController controllers/*.yaml → *Controller
//	Check          all of them         → what only several files together can get wrong
//
// A parse checks that the bytes are text (source.go) and one plain YAML document (document.go, syntax.go), and
// then walks its nodes with a decoder (decode.go), which knows the position of each. Schemas come in two forms,
// as OpenAPI keywords (parse_schema.go, keywords.go) and in the shorthand (shorthand.go, markers.go), whose
// markers are decoded as the keywords they stand for. What a file leaves out is filled in: the plural, the storage
// version, the standard status, the update strategy of a child.
//
// Every mistake of a file is reported at once, as Problems; a value comes only without any. The package reads no
// files and knows nothing of Go code or of CustomResourceDefinitions; what a schema means to Kubernetes is checked
// by package crdgen with the apiserver's own code. The reference for authors is docs/spec.md.
package spec
