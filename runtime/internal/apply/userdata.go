package apply

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// userDataKinds are the kinds whose deletion policies an author has to write out, because users'
// data goes with their objects. No message advises to delete or recreate one.
var userDataKinds = []schema.GroupKind{
	{Kind: "PersistentVolumeClaim"},
	{Kind: "Namespace"},
	{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"},
}

// HoldsUserData reports whether users' data goes with objects of a kind.
func HoldsUserData(kind schema.GroupKind) bool { return slices.Contains(userDataKinds, kind) }
