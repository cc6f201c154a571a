// Package ownership says which parent an object is a child of.
//
// Every child has the label Keys.Label with the UID of its parent, so that a cache can hold only
// the children of one controller. The owner reference makes an object a child where Kubernetes
// allows one, and the garbage collector then knows the child, too. Kubernetes does not allow one if
// the child is in another namespace or cluster-scoped. The garbage collector must not act if the
// child is orphaned when its parent is deleted, or deleted in a certain order. In these cases the
// label and the annotation Keys.Parent, which names the parent, make an object a child. The label
// alone does not, because controllers copy labels to the objects that they create: an EndpointSlice
// has those of its Service.
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
	Parent      string // annotation: the parent as Kind.group/namespace/name or Kind.group/name; absent with an owner reference
	Hash        string // annotation: the hash of the desired state
	WhenRemoved string // annotation: overrides the deletion policies of the kind
	Generated   string // annotation of a Secret: the keys whose values were generated
	Adopted     string // annotation of a child that was adopted as it is: what was desired of it then
	Desired     string // annotation: what was desired of the child when it was last written, for kinds that keep it
	// FormerParent is the annotation of an object whose parent a user has disconnected: the UID of
	// that parent, which takes the object back when it is connected again.
	FormerParent string
	// ListedAs is a label and an annotation with the same value: which of the entries of its kind a
	// child belongs to, where the definition lists the kind several times. Users select by the label;
	// the annotation still says it if somebody removes the label. See [Keys.Entry].
	ListedAs string
	// CreatedAs is the annotation that names the child itself. A copy of the child carries it, and has another name;
	// see [Keys.NamesAnother].
	CreatedAs string
}

// KeysOf returns the keys of a controller, which begin with the API group of its parents.
func KeysOf(group, controller string) Keys {
	return Keys{
		Label:        group + "/" + controller,
		Parent:       group + "/parent",
		Hash:         group + "/desired-hash",
		WhenRemoved:  group + "/when-removed",
		Generated:    group + "/generated",
		Adopted:      group + "/adopted-as-it-is",
		Desired:      group + "/desired",
		FormerParent: group + "/disconnected-from",
		ListedAs:     group + "/listed-as",
		CreatedAs:    group + "/created-as",
	}
}

// Annotations returns the keys of the annotations, which an orphaned child loses.
func (k Keys) Annotations() []string {
	return []string{k.Parent, k.Hash, k.WhenRemoved, k.Generated, k.Adopted, k.Desired, k.FormerParent, k.ListedAs, k.CreatedAs}
}

// Labels returns the keys of the labels, which an orphaned child loses.
func (k Keys) Labels() []string { return []string{k.Label, k.ListedAs} }

// SetEntry writes into the metadata of a child which entry of its kind it belongs to. Empty: the kind
// has one.
func (k Keys) SetEntry(metadata map[string]any, entry string) {
	if entry != "" {
		ensureObject(metadata, "labels")[k.ListedAs] = entry
		ensureObject(metadata, "annotations")[k.ListedAs] = entry
	}
}

// Entry returns which of the entries of its kind an object belongs to, by the annotation, or else by
// the label. It returns "" if neither names one of them.
func (k Keys) Entry(object client.Object, entries []string) string {
	for _, entry := range []string{object.GetAnnotations()[k.ListedAs], object.GetLabels()[k.ListedAs]} {
		if entry != "" && slices.Contains(entries, entry) {
			return entry
		}
	}
	return ""
}

// ObjectName returns the name of an object in the form of the annotation Keys.CreatedAs: its namespace and its name, or
// its name alone if it is cluster-scoped.
func ObjectName(name types.NamespacedName) string {
	if name.Namespace == "" {
		return name.Name
	}
	return name.String()
}

// NamesAnother reports whether the annotation Keys.CreatedAs of an object names another object.
func (k Keys) NamesAnother(object client.Object) bool {
	text, ok := object.GetAnnotations()[k.CreatedAs]
	return ok && text != ObjectName(client.ObjectKeyFromObject(object))
}

// NamesItself reports whether the annotation Keys.CreatedAs of an object names the object.
func (k Keys) NamesItself(object client.Object) bool {
	return object.GetAnnotations()[k.CreatedAs] == ObjectName(client.ObjectKeyFromObject(object))
}

// SetDeletionPolicies writes the deletion policies of a child into its metadata. Empty: they are the
// kind's.
func (k Keys) SetDeletionPolicies(metadata map[string]any, whenRemoved string) {
	if whenRemoved != "" {
		ensureObject(metadata, "annotations")[k.WhenRemoved] = whenRemoved
	}
}

// Ownership returns the metadata, as a merge patch, that makes an object a parent's child. The
// patch also removes the keys of the other way to own it.
func (k Keys) Ownership(parent Parent, byReference bool, whenRemoved, entry string) map[string]any {
	metadata := map[string]any{
		"labels":      map[string]any{k.ListedAs: nil},
		"annotations": map[string]any{k.Parent: nil, k.WhenRemoved: nil, k.FormerParent: nil, k.ListedAs: nil},
	}
	k.SetOwner(metadata, parent, byReference)
	k.SetDeletionPolicies(metadata, whenRemoved)
	k.SetEntry(metadata, entry)
	return metadata
}

// MoveFrom adds to metadata, which is a merge patch, that an object loses the marks of a former controller.
// What this has recorded of the object goes on under these keys.
func (k Keys) MoveFrom(former Keys, object client.Object, metadata map[string]any) {
	if _, ok := object.GetLabels()[former.Label]; ok && former.Label != k.Label {
		ensureObject(metadata, "labels")[former.Label] = nil
	}
	records, own := former.records(), k.records()
	for i, key := range records {
		value, ok := object.GetAnnotations()[key]
		if !ok || key == own[i] {
			continue
		}
		annotations := ensureObject(metadata, "annotations")
		annotations[key], annotations[own[i]] = nil, value
	}
	if _, ok := object.GetAnnotations()[former.Parent]; ok && former.Parent != k.Parent {
		ensureObject(metadata, "annotations")[former.Parent] = nil
	}
	if entry, ok := object.GetLabels()[former.ListedAs]; ok && former.ListedAs != k.ListedAs {
		labels := ensureObject(metadata, "labels")
		labels[former.ListedAs], labels[k.ListedAs] = nil, entry
	}
}

// records returns the keys of the annotations in which a controller records something of a child.
func (k Keys) records() []string {
	return []string{k.Hash, k.WhenRemoved, k.Generated, k.Adopted, k.Desired, k.ListedAs, k.CreatedAs}
}

// Parent is a parent as its children refer to it.
type Parent struct {
	Kind schema.GroupVersionKind
	Name types.NamespacedName
	UID  types.UID
}

// ClearOwner removes from the metadata of a desired child what makes it a parent's child. The
// author may have copied an observed child.
func (k Keys) ClearOwner(metadata map[string]any, parent types.UID) {
	dropKeys(metadata, "labels", k.Labels()...)
	dropKeys(metadata, "annotations", k.Parent, k.WhenRemoved, k.Generated, k.Adopted, k.Desired, k.FormerParent, k.ListedAs, k.CreatedAs)
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

// SetOwner adds to metadata what makes an object a parent's child: an owner reference, or a label
// and an annotation.
func (k Keys) SetOwner(metadata map[string]any, parent Parent, byReference bool) {
	ensureObject(metadata, "labels")[k.Label] = string(parent.UID)
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
		ensureObject(metadata, "annotations")[k.Parent] = parent.String()
	}
	if len(references) > 0 {
		metadata["ownerReferences"] = references
	}
}

// ParentOf returns the parent of a child. It reports false if the object is no child of this
// controller. namespaced has the kinds of parents, and whether they are namespaced.
func (k Keys) ParentOf(object client.Object, namespaced map[schema.GroupKind]bool) (Parent, bool) {
	if ref := metav1.GetControllerOfNoCopy(object); ref != nil {
		return parentByReference(object, ref, namespaced)
	}
	uid, name := object.GetLabels()[k.Label], object.GetAnnotations()[k.Parent]
	if uid == "" || name == "" {
		return Parent{}, false
	}
	text, name, _ := strings.Cut(name, "/")
	kind := schema.ParseGroupKind(text)
	inNamespace, known := namespaced[kind]
	parent := Parent{Kind: kind.WithVersion(""), Name: types.NamespacedName{Name: name}, UID: types.UID(uid)}
	if namespace, name, ok := strings.Cut(name, "/"); ok {
		parent.Name = types.NamespacedName{Namespace: namespace, Name: name}
	}
	return parent, known && inNamespace == (parent.Name.Namespace != "")
}

// ParentName returns the parent in the annotation of an object, in the form of [Parent.String]. It
// is empty if an owner reference names the controller, or if there is no annotation.
func (k Keys) ParentName(object client.Object) string {
	if metav1.GetControllerOfNoCopy(object) != nil {
		return ""
	}
	return object.GetAnnotations()[k.Parent]
}

// parentByReference returns the parent that an owner reference names.
func parentByReference(object client.Object, ref *metav1.OwnerReference, namespaced map[schema.GroupKind]bool) (Parent, bool) {
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

// HasOwnerReference reports whether a child has an owner reference to a parent, so that the garbage
// collector deletes it after its parent.
func HasOwnerReference(child client.Object, parent types.UID) bool {
	return slices.ContainsFunc(child.GetOwnerReferences(), func(ref metav1.OwnerReference) bool { return ref.UID == parent })
}

// HasStaleReference reports whether the controller reference of a child names its parent by another version, name or kind
// than it has, or does not have the parent wait in a deletion in the foreground.
func HasStaleReference(child client.Object, parent Parent) bool {
	ref := metav1.GetControllerOfNoCopy(child)
	if ref == nil || ref.UID != parent.UID {
		return false
	}
	blocks := ref.BlockOwnerDeletion != nil && *ref.BlockOwnerDeletion
	return !blocks || ref.APIVersion != parent.Kind.GroupVersion().String() || ref.Kind != parent.Kind.Kind || ref.Name != parent.Name.Name
}

// String returns the parent in the form of the annotation Keys.Parent.
func (p Parent) String() string {
	kind := p.Kind.GroupKind().String()
	if p.Name.Namespace == "" {
		return kind + "/" + p.Name.Name
	}
	return kind + "/" + p.Name.String()
}

// dropKeys removes keys from an object in a field of the content, and the object if it is empty
// then.
func dropKeys(content map[string]any, name string, keys ...string) {
	object, _ := content[name].(map[string]any)
	maps.DeleteFunc(object, func(key string, _ any) bool { return slices.Contains(keys, key) })
	if len(object) == 0 {
		delete(content, name)
	}
}

// ensureObject returns the object in a field of the content. It adds one if there is none.
func ensureObject(content map[string]any, name string) map[string]any {
	object, ok := content[name].(map[string]any)
	if !ok {
		object = map[string]any{}
		content[name] = object
	}
	return object
}
