// Package crddiff compares CustomResourceDefinitions by what they mean to an API server and to users.
//
//	Compare    CRDs of a project, CRDs of others   → Report   what differs, field by field
//	Summarize  what differs of one CRD             → Summary  the same, grouped by cause, with the effects
//
// The order of keys and of lists that are sets, the whitespace of descriptions, what an API server
// adds, and the version of controller-gen do not count.
//
//	compare   compare.go                  pairs the CRDs by group and kind
//	whole     crd.go, version.go          names, scope, conversion; of each version, what is beside the schema
//	schema    schema.go, keywords.go      walks two schemas, with the nodes that one of them is made from
//	effects   effect.go                   what a difference means for objects that exist
//	causes    summary.go, description.go  which differences have one cause, such as maxDescLen
//
// The package reads and writes no files.
package crddiff
