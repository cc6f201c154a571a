// Package opcheck checks an operator block against the schemas of the kinds that it names. Package
// spec cannot, since it reads one file and knows no schemas.
//
//	Related  paths in parents (nameFrom, selectorFrom, namespaces)  → lead to a field of the parent with a fitting type
//	HandOver paths in a child (handOver)                            → lead to a field of the child that an apply can leave out alone
//	Ready    readyWhen of a child                                   → compiles, reads fields of the child and is cheap
package opcheck
