// Package importer converts CustomResourceDefinitions to spec files.
//
//	Import   YAML of CRDs   → []Spec   for each CRD the text of a spec file, and the API in it
//
// The promise is a round trip: package crdgen makes the same CRD from the spec file again. A CRD
// that a spec file cannot express is refused.
//
//	read      document.go, template.go           YAML → nodes, which keep the order of keys; a template is refused
//	compare   digest.go                          hashes schemas, to find equal ones
//	types     kubernetes.go, repeats.go          finds schemas that are types of Kubernetes, and objects that occur
//	                                             several times, which become types of the spec file
//	names     typename.go, similar.go,           names those types, by their descriptions, by similar types of
//	          label.go, words.go                 Kubernetes, or by their fields
//	convert   crd.go, clusterdump.go,            CRD → nodes of a spec file, without what tools of a cluster wrote
//	          version.go, named.go, schema.go
//	shorten   shorthand.go, marker.go            uses the shorthand if it loses nothing
//	write     write.go, scalar.go                nodes → text
//
// The text is parsed like every other spec file, so that Import never returns one with errors.
package importer
