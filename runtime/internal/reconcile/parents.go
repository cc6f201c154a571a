package reconcile

import (
	"fmt"

	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/opgen-dev/opgen/runtime/internal/declared"
)

// shard selects the parents that this operator works on. Other operators may work on the
// rest.
type shard struct{ labels.Selector }

func newShard(selector string) (shard, error) {
	parsed, err := labels.Parse(selector)
	if err != nil {
		return shard{}, fmt.Errorf("parent selector %q: %w", selector, err)
	}
	return shard{parsed}, nil
}

func (s shard) has(parent client.Object) bool { return s.Matches(labels.Set(parent.GetLabels())) }

// predicate passes events of objects that are in the shard, or were.
func (s shard) predicate() predicate.Predicate {
	either := predicate.NewPredicateFuncs(s.has)
	either.UpdateFunc = func(e event.UpdateEvent) bool { return s.has(e.ObjectNew) || s.has(e.ObjectOld) }
	return either
}

// parentSelector selects the parents among the objects of their kind.
type parentSelector struct{ labels, annotations labels.Selector }

func newParentSelector(described declared.ParentKind) (parentSelector, error) {
	byLabels, err := labels.Parse(described.Labels)
	if err != nil {
		return parentSelector{}, fmt.Errorf("label selector %q: %w", described.Labels, err)
	}
	byAnnotations, err := labels.Parse(described.Annotations)
	if err != nil {
		return parentSelector{}, fmt.Errorf("annotation selector %q: %w", described.Annotations, err)
	}
	return parentSelector{byLabels, byAnnotations}, nil
}

func (s parentSelector) matches(object client.Object) bool {
	return s.labels.Matches(labels.Set(object.GetLabels())) && s.annotations.Matches(labels.Set(object.GetAnnotations()))
}

// selectsAll reports whether every object of the kind is a parent.
func (s parentSelector) selectsAll() bool { return s.labels.Empty() && s.annotations.Empty() }

// isParent reports whether an object is a parent that this operator works on.
func (l *loop) isParent(object client.Object) bool {
	return l.shard.has(object) && l.selector.matches(object)
}

// parentPredicate passes events of objects that are parents, were parents, or may have been
// parents while the operator was down. It passes all creations for the last case.
func (l *loop) parentPredicate() predicate.Predicate {
	if l.selector.selectsAll() {
		return predicate.Funcs{}
	}
	return predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		return l.selector.matches(e.ObjectNew) || l.selector.matches(e.ObjectOld) || l.states.get(client.ObjectKeyFromObject(e.ObjectNew)) != nil
	}}
}
