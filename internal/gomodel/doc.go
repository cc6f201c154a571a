// Package gomodel makes the Go model of the APIs of a project: for each group version a Package of
// Go types with their markers.
//
//	Packages   *spec.Project, APIs   → []Package
//
// controller-gen makes the CRD of package crdgen from these types, except for what markers cannot
// express; tests compare both. Package templates renders the model. The package reads and writes no
// files.
package gomodel
