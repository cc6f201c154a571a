// Package importer is the way back: it turns CustomResourceDefinitions into spec files.
//
//	Import   YAML of CRDs   → []Spec   the text of a spec file for each, and the API that it says
//
// The documents are read as YAML nodes (document.go), so that keys keep their order. Every schema
// of a CRD gets a digest (digest.go), by which types of Kubernetes are recognized (kubernetes.go)
// and objects that repeat are found (repeats.go). Those get names (typename.go): what their authors
// call them or Kubernetes does (like.go), or what they are called where they are used (label.go,
// words.go). A CRD then becomes the nodes of a spec file: its names and versions (crd.go,
// version.go), its types (named.go) and its schemas (schema.go), in the shorthand wherever that
// loses nothing (shorthand.go, marker.go). The nodes are written as text (write.go, scalar.go),
// which is parsed like every other spec file. What package crdgen makes of that is the CRD again.
package importer
