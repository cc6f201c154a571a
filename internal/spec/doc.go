// Package spec is opgen's spec language: it turns spec files into values.
//
//	ParseProject   opgen.yaml    → *Project
//	ParseAPI       api/*.yaml    → *API
//
// A parse decodes the YAML with the position of every node, fills in what is implied (plural, storage version,
// the standard status, the update strategy of a child) and validates. It reports every mistake of a file at
// once, as Problems. The package reads no files and knows nothing of Go code or of CustomResourceDefinitions;
// what a schema means to Kubernetes is checked by package crdgen with the apiserver's own code.
package spec
