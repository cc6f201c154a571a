// Package clientgen generates the typed clients of a project, the files of client/: clientset,
// listers, informers and apply configurations. The code comes from the generators of
// k8s.io/code-generator.
//
//	newUniverse  []gomodel.Package       → types.Universe   what the generators would have parsed
//	openAPI      CRDs                    → OpenAPI v2       how apply configurations merge
//	files        types.Universe, OpenAPI → []File           in memory
//
// The generators usually load Go packages from disk, which takes seconds. Here they get the types
// that gomodel has made from the spec, or that gotypes has read if an author owns them. The only
// other types that they need are those of Kubernetes, which kubetypes knows. So no Go package is
// loaded, and what the generators write stays in memory.
package clientgen
