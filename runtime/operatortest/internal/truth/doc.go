// Package truth checks whether an operator reports the state of its children truthfully.
//
// A [Checker] remembers what Sync desired (history.go), and compares the live children with it
// (children.go, compare.go) as the API server does by the schema of their kind. Where they differ,
// the conditions of the parent have to say so (conditions.go). It finds children whose parent is
// gone, too (leaked.go).
package truth
