// Package gomodel makes the Go model of a project's APIs: one Package of Go types with their
// markers for each group version.
//
//	Packages   *spec.Project, APIs   → []Package
//
// controller-gen must make the CRD of package crdgen from these types, except for what markers
// cannot express. So each schema is split between a type and its markers, and a node gets a named
// type where markers of the field are not enough. Tests compare both CRDs.
//
// Package templates renders the model. Package gomodel reads and writes no files.
package gomodel
