// Package packaging turns the manifests of a project into what platforms install.
//
//	Read      a kustomization → *Operator    its objects, and those of each component that can be turned on
//	Manifest  *Operator → []tree.File        one file for kubectl apply
//	Chart     *Operator → []tree.File        a Helm chart
//	Bundle    *Operator → []tree.File        a bundle for the Operator Lifecycle Manager
//
// All of them start from the objects that kustomize renders, so that an author's patches are in each package. A chart
// with its default values makes the objects of the manifest; a bundle holds the same permissions and the same Pod.
package packaging
