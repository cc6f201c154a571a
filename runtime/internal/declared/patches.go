package declared

import (
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// DesiredPatch are fields that Sync desires of a related object.
type DesiredPatch struct {
	// Object is the related object.
	Object client.Object
	// Fields is an object in which only the desired fields are set, or Configuration is an apply
	// configuration of them.
	Fields        client.Object
	Configuration runtime.ApplyConfiguration
}

// PatchSet are the patches of the objects of one entry of related objects.
type PatchSet struct {
	Patches []DesiredPatch
}
