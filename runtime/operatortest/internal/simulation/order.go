package simulation

import (
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/apply"
	"github.com/opgen-dev/opgen/runtime/internal/declared"
	"github.com/opgen-dev/opgen/runtime/internal/health"
)

// task is a desired child that is to be applied.
type task struct {
	declared.DesiredChild
	kind    *kind
	name    types.NamespacedName
	content map[string]any
	object  client.Object // the content as an object of the kind
	inPlace apply.PathsInPlace
	done    bool
}

// newTasks returns the tasks of what is desired of each kind.
func (w *World) newTasks(desired []declared.ChildKind) ([]*task, error) {
	var tasks []*task
	for i, kind := range w.kinds {
		if kind.PruneOnly {
			continue
		}
		for _, child := range desired[i].Fields.Desired.Children {
			content, err := desiredContent(child)
			if err != nil {
				return nil, err
			}
			object, err := objectFrom(content, kind.Object)
			if err != nil {
				return nil, err
			}
			name := w.nameOf(object)
			if name.Namespace != "" {
				if err := unstructured.SetNestedField(content, name.Namespace, "metadata", "namespace"); err != nil {
					return nil, err
				}
			}
			inPlace, err := apply.ParseInPlace(slices.Concat(kind.InPlace, child.InPlace))
			if err != nil {
				return nil, err
			}
			child.Policies = child.Policies.Or(kind.Policies).Or(declared.DefaultPolicies)
			tasks = append(tasks, &task{DesiredChild: child, kind: kind, name: name, content: content, object: object, inPlace: inPlace})
		}
	}
	return tasks, nil
}

// waits reports whether a task waits for another desired child, or for an undesired one that goes
// first.
func (w *World) waits(t *task, all []*task) bool {
	if !w.areReady(t.After, all) {
		return true
	}
	_, exists := t.kind.children[t.name]
	if exists && !t.Recreate {
		return false
	}
	isReplacing := slices.ContainsFunc(t.Replaces, func(old client.Object) bool {
		_, found := w.find(old)
		return found != nil
	})
	return isReplacing || !w.areReady(t.CreateAfter, all)
}

// areReady reports whether desired children have been applied and are ready.
func (w *World) areReady(objects []client.Object, all []*task) bool {
	return !slices.ContainsFunc(objects, func(object client.Object) bool {
		return !slices.ContainsFunc(all, func(t *task) bool {
			return t.done && t.kind.has(object) && t.name == w.nameOf(object) && t.isReady()
		})
	})
}

func (t *task) isReady() bool {
	child := t.kind.children[t.name]
	return child != nil && t.kind.Of(child.object).Unless(t.NotReady).State == health.Ready
}
