package simulation

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/declared"
)

// World is what exists of the children of one parent.
type World struct {
	Namespace string // of the parent
	Now       time.Time

	kinds   []*kind // in the order of the controller
	made    int     // how many objects were created: their UIDs and generated values differ
	refuses []refusal
}

// kind is one entry of the kinds of children.
type kind struct {
	declared.ChildKind
	children map[types.NamespacedName]*child
	refused  declared.Refusals
}

// child is a child that exists.
type child struct {
	object     client.Object
	applied    map[string]any    // what was desired of it when it was written
	tokens     map[string]string // that values of a Secret were generated for
	isOutdated bool
}

// refusal has the API server refuse to write an object.
type refusal struct {
	object client.Object
	err    error
}

// New returns a world without children.
func New(namespace string, now time.Time, kinds []declared.ChildKind) *World {
	world := &World{Namespace: namespace, Now: now}
	for _, entry := range kinds {
		world.kinds = append(world.kinds, &kind{
			ChildKind: entry, children: map[types.NamespacedName]*child{}, refused: declared.Refusals{},
		})
	}
	return world
}

// Show fills the snapshots of the kinds, which are in the order of the world's.
func (w *World) Show(kinds []declared.ChildKind) {
	for i, kind := range w.kinds {
		if kind.PruneOnly {
			continue
		}
		kinds[i].Fields.Observe(kind.view(w.Namespace))
		kinds[i].Fields.ObserveRefused(maps.Clone(kind.refused))
	}
}

func (k *kind) view(namespace string) declared.View {
	view := declared.View{
		Namespace: namespace, IsServed: true, Rules: k.Rules, Outdated: map[types.NamespacedName]bool{},
		GeneratedTokens: func(secret client.Object) map[string]string {
			if child, ok := k.children[client.ObjectKeyFromObject(secret)]; ok {
				return child.tokens
			}
			return nil
		},
	}
	if k.KeepDesired {
		view.Desired = map[types.NamespacedName]string{}
	}
	for name, child := range k.children {
		object := child.object.DeepCopyObject().(client.Object)
		if k.Metadata {
			object = metadataOf(object)
		}
		view.Objects = append(view.Objects, object)
		view.Outdated[name] = child.isOutdated
		if k.KeepDesired && len(child.applied) > 0 {
			view.Desired[name] = string(encode(child.applied))
		}
		if namespace == "" && name.Namespace != "" {
			view.Namespace = declared.AllNamespaces
		}
	}
	return view
}

func metadataOf(object client.Object) client.Object {
	content := contentOf(object)
	metadata := new(metav1.PartialObjectMetadata)
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(content, metadata); err != nil {
		panic(err) // every Kubernetes object has such metadata
	}
	return metadata
}

// kindOf returns the first entry of an object's kind, or nil.
func (w *World) kindOf(object client.Object) *kind {
	for _, kind := range w.kinds {
		if kind.has(object) {
			return kind
		}
	}
	return nil
}

func (k *kind) has(object client.Object) bool {
	if reflect.TypeOf(object) != reflect.TypeOf(k.Object) {
		return false
	}
	if _, isDynamic := object.(runtime.Unstructured); !isDynamic {
		return true
	}
	known := k.Object.GetObjectKind().GroupVersionKind()
	return known.Empty() || known == object.GetObjectKind().GroupVersionKind()
}

// nameOf returns the name of an object, in the parent's namespace if it names none.
func (w *World) nameOf(object client.Object) types.NamespacedName {
	return types.NamespacedName{Namespace: cmp.Or(object.GetNamespace(), w.Namespace), Name: object.GetName()}
}

// find returns the child with an object's kind and name, of whichever entry.
func (w *World) find(object client.Object) (*kind, *child) {
	for _, kind := range w.kinds {
		if found := kind.children[w.nameOf(object)]; found != nil && kind.has(object) {
			return kind, found
		}
	}
	return nil, nil
}

// Get reads a child into the object, and reports whether it exists.
func (w *World) Get(object client.Object) bool {
	_, found := w.find(object)
	if found == nil {
		return false
	}
	assign(object, found.object.DeepCopyObject().(client.Object))
	return true
}

// Create adds children that exist. It returns an error if Sync has no children of such a kind.
func (w *World) Create(objects ...client.Object) error {
	for _, object := range objects {
		kind := w.kindOf(object)
		if kind == nil {
			return fmt.Errorf("%s is of no kind of children", Describe(object))
		}
		if _, exists := w.find(object); exists != nil {
			return fmt.Errorf("%s exists", Describe(object))
		}
		content := contentOf(object)
		kind.children[w.nameOf(object)] = &child{object: w.newObject(content, object), applied: map[string]any{}}
	}
	return nil
}

// Update changes a child by a function that changes the object, and reports whether it exists.
func (w *World) Update(object client.Object, change func()) bool {
	_, found := w.find(object)
	if found == nil || !w.Get(object) {
		return false
	}
	change()
	generation := found.object.GetGeneration()
	if !isSameSpec(contentOf(found.object), contentOf(object)) {
		generation++
	}
	object.SetGeneration(generation)
	found.object = object.DeepCopyObject().(client.Object)
	return true
}

// Delete removes a child, and reports whether it existed.
func (w *World) Delete(object client.Object) bool {
	kind, found := w.find(object)
	if found != nil {
		delete(kind.children, w.nameOf(object))
	}
	return found != nil
}

// Refuse has the API server refuse to write an object, until it is called without an error.
func (w *World) Refuse(object client.Object, err error) {
	w.refuses = slices.DeleteFunc(w.refuses, func(r refusal) bool { return w.isSame(r.object, object) })
	if err != nil {
		w.refuses = append(w.refuses, refusal{object, err})
	}
}

func (w *World) refusalOf(object client.Object) error {
	for _, refusal := range w.refuses {
		if w.isSame(refusal.object, object) {
			return refusal.err
		}
	}
	return nil
}

// isSame reports whether two objects have the same kind and name.
func (w *World) isSame(a, b client.Object) bool {
	return typeName(a) == typeName(b) && w.nameOf(a) == w.nameOf(b)
}

// Contents returns the children as JSON values, by their kinds and names.
func (w *World) Contents() map[string]map[string]any {
	contents := map[string]map[string]any{}
	for _, kind := range w.kinds {
		for _, child := range kind.children {
			contents[Describe(child.object)] = contentOf(child.object)
		}
	}
	return contents
}

// Describe returns the kind and name of an object.
func Describe(object client.Object) string { return typeName(object) + " " + object.GetName() }

func typeName(object client.Object) string {
	if kind := object.GetObjectKind().GroupVersionKind().Kind; kind != "" {
		return kind
	}
	return reflect.TypeOf(object).Elem().Name()
}
