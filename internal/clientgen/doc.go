// Package clientgen makes the typed clients of a project: clientset, listers, informers and apply
// configurations, the files of client/.
//
// The code comes from the generators of k8s.io/code-generator. They know the API by the types that
// crdgen has made from the spec, or by those that gotypes has read where an author owns them. So no
// Go package is loaded here, and there is nothing on disk that they need to find; what they write
// stays in memory. The only thing that Go packages would add, the types that the generators meet in
// Kubernetes' own packages, crdgen knows already.
package clientgen
