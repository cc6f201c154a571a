// Package crdgen makes the CustomResourceDefinition of an API of the spec language, and objects of
// it.
//
//	CRD             *spec.API     → CustomResourceDefinition   checked with the code of the API server
//	Sample          *spec.API     → a valid object
//	ValidateObject  CRD, object   → the errors that the API server would report
//
// A CRD is made in four stages, each in the file of its name. A stage passes on what it has found:
//
//	resolve   the schemas of the Kubernetes and Go types that nodes name
//	schema    the schemas of the versions, from the nodes and these types (size: are they too large?)
//	check     what the API server's own code reports about the CRD and its CEL rules
//	locate    the positions of these reports in the spec file
//
// Schemas of Kubernetes' own types come from package kubetypes, and those of Go types from package
// gotypes, by way of the API. The package reads and writes no files.
package crdgen
