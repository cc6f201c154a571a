// Package ownership says whose child an object is.
//
// Every child carries the label Keys.Label with its parent's UID, so that a
// cache can hold the children of one controller and nothing else. What makes it
// a child is the owner reference, where Kubernetes allows one: then the garbage
// collector knows it, too. Where it does not, because the child lies in another
// namespace or in none, and where the collector must not act, because the child
// is to outlive its parent or to go in a certain order, it is the label together
// with the annotation Keys.Parent, which names the parent. A label alone proves
// nothing, since controllers copy labels to what they make: an EndpointSlice has
// those of its Service.
package ownership

import (
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Keys are the labels and annotations that a controller writes on its children.
type Keys struct {
	Label       string // the parent's UID
	Parent      string // annotation: the parent as Kind.group/namespace/name or Kind.group/name, where there is no owner reference
	Hash        string // annotation: of what was desired
	WhenRemoved string // annotation: overrides what the kind says about removal
}

// KeysOf are the keys of a controller, below the API group of its parents.
func KeysOf(group, controller string) Keys {
	return Keys{
		Label:       group + "/" + controller,
		Parent:      group + "/parent",
		Hash:        group + "/desired-hash",
		WhenRemoved: group + "/when-removed",
	}
}

// Annotations are the keys of annotations, which a released child loses.
func (k Keys) Annotations() []string { return []string{k.Parent, k.Hash, k.WhenRemoved} }

// Override notes in a child's metadata what is to become of it when it is removed,
// if that is not what its kind says.
func (k Keys) Override(metadata map[string]any, whenRemoved string) {
	if whenRemoved != "" {
		field(metadata, "annotations")[k.WhenRemoved] = whenRemoved
	}
}

// Ownership is the metadata that alone makes an object a parent's child, as a
// merge patch has it: it takes off what an earlier way of owning it has left.
func (k Keys) Ownership(parent Parent, byReference bool, whenRemoved string) map[string]any {
	metadata := map[string]any{"annotations": map[string]any{k.Parent: nil, k.WhenRemoved: nil}}
	k.Refer(metadata, parent, byReference)
	k.Override(metadata, whenRemoved)
	return metadata
}

// Parent is a parent as its children refer to it.
type Parent struct {
	Kind schema.GroupVersionKind
	Name types.NamespacedName
	UID  types.UID
}

// Disown takes off a desired child's metadata what made an object a parent's: it
// may be a copy of one that was observed.
func (k Keys) Disown(metadata map[string]any, parent types.UID) {
	drop(metadata, "labels", k.Label)
	drop(metadata, "annotations", k.Parent, k.WhenRemoved)
	references, _ := metadata["ownerReferences"].([]any)
	references = slices.DeleteFunc(references, func(reference any) bool {
		fields, _ := reference.(map[string]any)
		return fields["uid"] == string(parent)
	})
	if len(references) == 0 {
		delete(metadata, "ownerReferences")
	} else {
		metadata["ownerReferences"] = references
	}
}

// Refer makes a child of a parent out of an object whose metadata these are. It
// is a child by reference, or by label and annotation.
func (k Keys) Refer(metadata map[string]any, parent Parent, byReference bool) {
	field(metadata, "labels")[k.Label] = string(parent.UID)
	references, _ := metadata["ownerReferences"].([]any)
	if byReference {
		references = append(references, map[string]any{
			"apiVersion":         parent.Kind.GroupVersion().String(),
			"kind":               parent.Kind.Kind,
			"name":               parent.Name.Name,
			"uid":                string(parent.UID),
			"controller":         true,
			"blockOwnerDeletion": true,
		})
	} else {
		field(metadata, "annotations")[k.Parent] = parent.String()
	}
	if len(references) > 0 {
		metadata["ownerReferences"] = references
	}
}

// Of returns the parent of a child: false for an object that is nobody's, or
// another controller's. namespaced says which kinds of parents there are, and
// whether each lies in namespaces.
func (k Keys) Of(object client.Object, namespaced map[schema.GroupKind]bool) (Parent, bool) {
	if ref := metav1.GetControllerOfNoCopy(object); ref != nil {
		return byReference(object, ref, namespaced)
	}
	uid, name := object.GetLabels()[k.Label], object.GetAnnotations()[k.Parent]
	if uid == "" || name == "" {
		return Parent{}, false
	}
	text, name, _ := strings.Cut(name, "/")
	kind := schema.ParseGroupKind(text)
	if _, known := namespaced[kind]; !known {
		return Parent{}, false
	}
	parent := Parent{Kind: kind.WithVersion(""), Name: types.NamespacedName{Name: name}, UID: types.UID(uid)}
	if namespace, name, ok := strings.Cut(name, "/"); ok {
		parent.Name = types.NamespacedName{Namespace: namespace, Name: name}
	}
	return parent, true
}

// Named returns what the annotation of an object says of its parent, in the words
// of [Parent.String]. It is empty where an owner reference says who controls the
// object, or nothing does.
func (k Keys) Named(object client.Object) string {
	if metav1.GetControllerOfNoCopy(object) != nil {
		return ""
	}
	return object.GetAnnotations()[k.Parent]
}

func byReference(object client.Object, ref *metav1.OwnerReference, namespaced map[schema.GroupKind]bool) (Parent, bool) {
	gv, err := schema.ParseGroupVersion(ref.APIVersion)
	if err != nil {
		return Parent{}, false
	}
	inNamespace, known := namespaced[schema.GroupKind{Group: gv.Group, Kind: ref.Kind}]
	if !known {
		return Parent{}, false
	}
	parent := Parent{Kind: gv.WithKind(ref.Kind), Name: types.NamespacedName{Name: ref.Name}, UID: ref.UID}
	if inNamespace {
		parent.Name.Namespace = object.GetNamespace()
	}
	return parent, true
}

// Referenced tells whether a child has an owner reference to a parent, so that
// the garbage collector deletes it after its parent.
func Referenced(child client.Object, parent types.UID) bool {
	return slices.ContainsFunc(child.GetOwnerReferences(), func(ref metav1.OwnerReference) bool { return ref.UID == parent })
}

// String is the parent as the annotation Keys.Parent names it.
func (p Parent) String() string {
	kind := p.Kind.GroupKind().String()
	if p.Name.Namespace == "" {
		return kind + "/" + p.Name.Name
	}
	return kind + "/" + p.Name.String()
}

// drop takes keys out of the object at name, which goes once it is empty.
func drop(content map[string]any, name string, keys ...string) {
	object, _ := content[name].(map[string]any)
	maps.DeleteFunc(object, func(key string, _ any) bool { return slices.Contains(keys, key) })
	if len(object) == 0 {
		delete(content, name)
	}
}

// field returns the object at name, which it makes where there is none.
func field(content map[string]any, name string) map[string]any {
	object, ok := content[name].(map[string]any)
	if !ok {
		object = map[string]any{}
		content[name] = object
	}
	return object
}
