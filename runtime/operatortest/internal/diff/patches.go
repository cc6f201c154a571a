package diff

import (
	"reflect"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/operator"
)

// patchSet is any operator.PatchSet.
type patchSet interface {
	Patches() []operator.DesiredPatch
}

// asSet returns a value as a desired set; false if it is none. The patches of related objects are compared
// as children are: by the names of the objects.
func asSet(of reflect.Value) (DesiredSet, bool) {
	switch set := of.Interface().(type) {
	case DesiredSet:
		return set, true
	case patchSet:
		return patchedFields(set.Patches()), true
	}
	return nil, false
}

// patchedFields are patches as a desired set of their fields, each with the name of its object.
type patchedFields []operator.DesiredPatch

// Kept returns none: what is not patched is not kept.
func (patchedFields) Kept() []string { return nil }

// Children returns the fields of each patch.
func (p patchedFields) Children() (children []operator.DesiredChild) {
	for _, patch := range p {
		if isNil(patch.Object) || isNil(patch.Fields) && patch.Configuration == nil { // the runtime refuses it
			children = append(children, operator.DesiredChild{})
			continue
		}
		if fields, ok := jsonOf(patch.Configuration).(map[string]any); ok {
			children = append(children, operator.DesiredChild{Configuration: named(fields, patch.Object)})
			continue
		}
		fields := patch.Fields.DeepCopyObject().(client.Object)
		fields.SetName(patch.Object.GetName())
		fields.SetNamespace(patch.Object.GetNamespace())
		children = append(children, operator.DesiredChild{Object: fields})
	}
	return children
}

// namedFields are the fields of an apply configuration.
type namedFields map[string]any

// IsApplyConfiguration says that it is one.
func (namedFields) IsApplyConfiguration() {}

// named returns fields with the name of an object, and without their kind.
func named(fields map[string]any, object client.Object) namedFields {
	metadata, _ := fields["metadata"].(map[string]any)
	if metadata == nil {
		metadata = map[string]any{}
	}
	metadata["name"], fields["metadata"] = object.GetName(), metadata
	if namespace := object.GetNamespace(); namespace != "" {
		metadata["namespace"] = namespace
	}
	delete(fields, "apiVersion")
	delete(fields, "kind")
	return fields
}

func isNil(object client.Object) bool { return object == nil || reflect.ValueOf(object).IsNil() }
