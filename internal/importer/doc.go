// Package importer is the way back: it turns CustomResourceDefinitions into spec files.
//
//	Import   YAML of CRDs   → []Spec   the text of a spec file for each, and the API that it says
//
// The documents are read as YAML nodes (document.go), so that keys keep their order. A CRD becomes the nodes of a
// spec file: its names and versions (crd.go, version.go), and its schemas (schema.go), in the shorthand wherever
// that loses nothing (shorthand.go, marker.go). The nodes are written as text (write.go, scalar.go), which is
// parsed like every other spec file. What package crdgen makes of that is the CRD again.
package importer
