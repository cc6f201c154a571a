// Package crdgen turns an API of the spec language into what Kubernetes and Go need of it.
//
//	CRD             *spec.API             → CustomResourceDefinition   checked with the API server's own code
//	Sample          *spec.API             → a valid object
//	ValidateObject  CRD, object           → what the API server would say against it
//	Packages        *spec.Project, APIs   → []Package                  the Go model, one Package per group version
//
// A CRD comes straight from the spec: no Go package is loaded, and the schemas of Kubernetes' own types come
// from package kubetypes. The Go model carries the markers with which controller-gen makes the same CRD from
// the Go types; a test holds the two against each other. Package templates renders the model.
//
// Everything is a value: nothing here reads or writes a file.
package crdgen
