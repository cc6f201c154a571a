// Package opcheck holds what an operator block says against the schemas of the kinds that it is
// about, which the spec language itself does not know:
//
//	Related  paths in parents (nameFrom, selectorFrom, namespaces)  → fields of the parent with a fitting type
//	Ready    readyWhen of a child                                   → a rule that compiles, reads fields of the child and is cheap
package opcheck
