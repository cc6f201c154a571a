package testcontrol

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/opgen-dev/opgen/runtime/internal/declared"
)

// SyncChild is what Sync desires of one child, as a test sees it.
type SyncChild struct {
	Parent   types.UID
	Kind     schema.GroupVersionKind
	Name     types.NamespacedName
	Update   declared.UpdateStrategy
	Orphaned bool             // it stays when its parent is deleted
	HandOver []fieldpath.Path // fields that it keeps when Content leaves them out
	Manager  string           // the operator's field manager
	Content  map[string]any   // what Sync says, without ownership; not to be changed
}

// Author sees what Sync desires of each child, in each reconcile, and returns what is
// desired in its place. Nil leaves it as it is; without any field, the child is not
// desired.
type Author func(SyncChild) map[string]any

// Decorate returns the author's code with the test between it and the reconciles: the test sees each
// snapshot, may replace what is desired, and learns whether Sync answers the same twice.
func (l *Loop) Decorate(author declared.Author) declared.Author {
	author.Sync = l.decorateCalls(inspectCalls(author.Sync))
	if author.Finalize != nil {
		author.Finalize = l.decorateCalls(author.Finalize)
	}
	return author
}

func (l *Loop) decorateCalls(prepare func(declared.Request) declared.Call) func(declared.Request) declared.Call {
	return func(request declared.Request) declared.Call {
		l.showSnapshot(request)
		call := prepare(request)
		return func(ctx context.Context) (*declared.Response, error) {
			response, err := call(ctx)
			if response == nil {
				return nil, err
			}
			var leftOut []Child
			for kind, set := range response.Children {
				var children []declared.DesiredChild
				for _, desired := range set.Children {
					decorated, child, isDesired := l.decorateChild(ReconcileOf(ctx), request.Parent, kind, desired)
					if isDesired {
						children = append(children, decorated)
					} else {
						leftOut = append(leftOut, child)
					}
				}
				response.Children[kind].Children = children
			}
			if len(leftOut) > 0 {
				l.dropReferences(request.Parent, response.Children, leftOut)
			}
			return response, err
		}
	}
}

// dropReferences has desired children come after none of those that a test leaves out, as an author does who leaves them out.
func (l *Loop) dropReferences(parent client.Object, sets []declared.DesiredSet, leftOut []Child) {
	isLeftOut := func(object client.Object) bool {
		child, err := l.ReadKey(parent, object)
		return err == nil && slices.Contains(leftOut, child)
	}
	for _, set := range sets {
		for i := range set.Children {
			child := &set.Children[i]
			child.After = slices.DeleteFunc(slices.Clone(child.After), isLeftOut)
			child.CreateAfter = slices.DeleteFunc(slices.Clone(child.CreateAfter), isLeftOut)
		}
	}
}

// decorateChild returns a desired child as the test replaces it, its key, and whether the test desires it. It records when the
// child is applied.
func (l *Loop) decorateChild(r *Reconcile, parent client.Object, kind int, desired declared.DesiredChild) (_ declared.DesiredChild, key Child, isDesired bool) {
	if l.control.Author == nil && len(desired.WhenApplied) == 0 {
		return desired, key, true
	}
	child, err := l.Describe(parent, kind, desired)
	if err != nil { // the reconcile finds that, too
		return desired, key, true
	}
	key = Child{child.Kind, child.Name}
	if len(desired.WhenApplied) > 0 {
		desired.WhenApplied = slices.Insert(slices.Clone(desired.WhenApplied), 0, func(any) error {
			r.update(func(record *Record) { record.Committed = append(record.Committed, key) })
			return nil
		})
	}
	if l.control.Author == nil {
		return desired, key, true
	}
	other := l.control.Author(child)
	if len(other) > 0 {
		desired.Object, desired.Configuration = child.newObject(other), nil
	}
	return desired, key, other == nil || len(other) > 0
}

// newObject returns an object with the identity of the child and another content.
func (c SyncChild) newObject(content map[string]any) client.Object {
	object := &unstructured.Unstructured{Object: runtime.DeepCopyJSON(content)}
	object.SetGroupVersionKind(c.Kind)
	object.SetNamespace(c.Name.Namespace)
	object.SetName(c.Name.Name)
	return object
}

// showSnapshot gives the snapshot of a request to the test.
func (l *Loop) showSnapshot(request declared.Request) {
	if l.control.Shown == nil {
		return
	}
	parent := request.Parent.GetUID()
	snapshot := Snapshot{Parent: parent, Kinds: l.swapReads(parent, request.Children)}
	for i, view := range request.Children {
		for _, object := range view.Objects {
			snapshot.Children = append(snapshot.Children, Child{Kind: l.Kinds[i], Name: client.ObjectKeyFromObject(object)})
		}
	}
	for _, view := range request.Related {
		snapshot.Related = append(snapshot.Related, view.Objects...)
	}
	l.control.Shown(snapshot)
}

// swapReads remembers the views of a request, and returns the kinds at which the author's code has looked
// in the one before.
func (l *Loop) swapReads(parent types.UID, views []declared.View) (kinds []schema.GroupVersionKind) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, view := range l.views[parent] {
		if view.Read != nil && view.Read.Load() {
			kinds = append(kinds, l.Kinds[i])
		}
	}
	l.views[parent] = views
	return kinds
}
