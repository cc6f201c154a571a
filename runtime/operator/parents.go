package operator

import (
	"fmt"

	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
)

// share is the part of the parents that this operator works on; others of its
// kind may work on the rest.
type share struct{ labels.Selector }

func newShare(selector string) (share, error) {
	parsed, err := labels.Parse(selector)
	if err != nil {
		return share{}, fmt.Errorf("parent selector %q: %w", selector, err)
	}
	return share{parsed}, nil
}

func (s share) has(parent client.Object) bool { return s.Matches(labels.Set(parent.GetLabels())) }

// events lets those events through that are about parents of the share, or that
// were of it.
func (s share) events() predicate.Predicate {
	either := predicate.NewPredicateFuncs(s.has)
	either.UpdateFunc = func(e event.UpdateEvent) bool { return s.has(e.ObjectNew) || s.has(e.ObjectOld) }
	return either
}

// parentSelector says which objects of the parent's kind are parents.
type parentSelector struct{ labels, annotations labels.Selector }

func newParentSelector(described ParentKind) (parentSelector, error) {
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

// everything tells whether every object of the kind is a parent.
func (s parentSelector) everything() bool { return s.labels.Empty() && s.annotations.Empty() }

// isOurs tells whether an object is a parent that this operator works on.
func (l *loop) isOurs(object client.Object) bool {
	return l.share.has(object) && l.selects.matches(object)
}

// parentEvents lets those events through that may matter: of objects that are parents,
// or were and have something left to lose, or that a pass has to look at once,
// since they may have been parents while the operator was down.
func (l *loop) parentEvents() predicate.Predicate {
	if l.selects.everything() {
		return predicate.Funcs{}
	}
	return predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		return l.selects.matches(e.ObjectNew) || l.selects.matches(e.ObjectOld) || l.states.knows(client.ObjectKeyFromObject(e.ObjectNew))
	}}
}
