// Package declared holds what generated code and Sync declare of objects: the kinds of children and
// their policies (childkind.go, policies.go, strategy.go), the children that Sync desires
// (desired.go), the kinds and selections of related objects (related.go), and Sync itself, with
// what it gets and returns (author.go).
//
// Authors know these types by the aliases of package operator. Packages reconcile and apply read
// the same values, so that nothing copies a policy on its way from a spec file to where it acts.
package declared
