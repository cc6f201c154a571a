// Package crdgen makes the CustomResourceDefinition of an API of the spec language, and objects of
// it.
//
//	CRD             *spec.API     → CustomResourceDefinition   checked with the code of the API server
//	Sample          *spec.API     → a valid object
//	ValidateObject  CRD, object   → the errors that the API server would report
//
// A CRD comes from the spec alone: no Go package is loaded. The schemas of Kubernetes' own types
// come from package kubetypes. The package reads and writes no files.
package crdgen
