// Package opcheck checks an operator block against the schemas of the kinds that it names. Package
// spec cannot, since it reads one file and knows no schemas.
//
//	Related  paths in parents (nameFrom, selectorFrom, namespaces)  → lead to a field of the parent with a fitting type
//	Ready    readyWhen of a child                                   → compiles, reads fields of the child and is cheap
package opcheck
