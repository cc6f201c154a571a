package apply

import (
	"fmt"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/opgen-dev/opgen/runtime/internal/managedfields"
)

// An apply removes a field that the field manager owns and that the desired state leaves out: the
// API server then sets its default. A field that is handed over keeps its value. For that, a write
// of managedFields takes it from the entries of this field manager before the apply. The write has
// the resource version as its precondition and carries no value, so that the value is the same at
// all times, whoever writes it meanwhile.

// ParseHandOver reads the paths of fields that are handed over. Of the metadata these can be single
// labels, single annotations and the finalizers.
func ParseHandOver(texts []string) (paths []fieldpath.Path, err error) {
	for _, text := range texts {
		path, err := managedfields.ParsePath(text)
		if err != nil {
			return nil, err
		}
		if !canBeHandedOver(path) {
			return nil, fmt.Errorf("%s cannot be handed over: of the metadata, only single labels, single annotations and the finalizers can", text)
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// canBeHandedOver reports whether a path leads to fields of which the runtime needs none.
func canBeHandedOver(path fieldpath.Path) bool {
	switch *path[0].FieldName {
	case "apiVersion", "kind":
		return false
	case "metadata":
		entries := []fieldpath.Path{fieldpath.MakePathOrDie("metadata", "labels"), fieldpath.MakePathOrDie("metadata", "annotations")}
		isEntry := len(path) == 3 && slices.ContainsFunc(entries, func(of fieldpath.Path) bool { return managedfields.IsAround(of, path) })
		return isEntry || path.Equals(fieldpath.MakePathOrDie("metadata", "finalizers"))
	}
	return true
}

// handedOver returns the paths of a set that the desired state hands over: those that it leaves
// out, below a path of HandOver at which the live object has a value. If the desired state leaves out
// the object around that path as well, all paths below that object are among them: an apply would
// remove it with all that is in it.
func (d Desired) handedOver(set *fieldpath.Set, live map[string]any) *fieldpath.Set {
	given := fieldpath.NewSet()
	if len(d.HandOver) == 0 {
		return given
	}
	desired := d.fieldsWithHash()
	var roots []fieldpath.Path
	for _, path := range d.HandOver {
		if n := lengthIn(live, path); n == len(path) {
			roots = append(roots, path[:min(lengthIn(desired, path)+1, n)])
		}
	}
	enter := func(p *managedfields.Node) bool {
		path := p.Path()
		isBelow := slices.ContainsFunc(roots, func(root fieldpath.Path) bool { return managedfields.IsAround(root, path) })
		if isBelow && !p.Desired.Exists && (p.Below == nil || set.Has(path)) {
			given.Insert(path)
		}
		return isBelow || slices.ContainsFunc(roots, func(root fieldpath.Path) bool { return managedfields.IsAround(path, root) })
	}
	managedfields.Rules{Enter: enter}.Walk(set, desired, nil)
	return given
}

// lengthIn returns how many elements of a path of fields an object has.
func lengthIn(object map[string]any, path fieldpath.Path) int {
	at := managedfields.Value{Value: object, Exists: true}
	for i, element := range path {
		if at = at.Follow(element); !at.Exists {
			return i
		}
	}
	return len(path)
}

// handOver takes the fields that the desired state hands over from the entries of this field
// manager in an object's managedFields. It reports whether that changes anything.
func (d Desired) handOver(object client.Object, manager string) (changed bool, err error) {
	if len(d.HandOver) == 0 {
		return false, nil
	}
	live, err := contentOf(object)
	if err != nil {
		return false, err
	}
	entries := slices.Clone(object.GetManagedFields())
	for i, entry := range entries {
		if entry.Manager != manager || entry.Subresource != "" || entry.FieldsV1 == nil {
			continue
		}
		set := parseFields(entry)
		given := d.handedOver(set, live)
		if given.Empty() {
			continue
		}
		if entries[i].FieldsV1, err = managedfields.Format(set.Difference(given)); err != nil {
			return false, err
		}
		changed = true
	}
	if changed {
		object.SetManagedFields(entries)
	}
	return changed, nil
}

// ownsHandedOver reports whether an apply would remove fields that the desired state hands over.
// Those that only a create has set stay anyway.
func (o *ownedFields) ownsHandedOver(d Desired) bool {
	return !o.isCreated && !d.handedOver(o.set, o.content).Empty()
}

// withoutHandedOver returns the owned fields as they are after the fields are handed over.
func (c *childComparer) withoutHandedOver(owned *ownedFields) (*ownedFields, error) {
	if len(c.desired.HandOver) == 0 {
		return owned, nil
	}
	live := owned.object.DeepCopyObject().(client.Object)
	if changed, err := c.desired.handOver(live, c.manager); err != nil || !changed {
		return owned, err
	}
	return readOwnedFields(c.manager, c.desired, live)
}
