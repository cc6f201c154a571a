package operatortest

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// parentProblem returns an error in the status of a parent whose child is in sync. It is empty if
// there is none, or if the parent has no Ready condition.
func parentProblem(x *exploration, s *exploredChild) string {
	usual, ok := x.usual[s.variant].conditions["Ready"]
	if !ok {
		return ""
	}
	parent, err := readParent(x, s.parent)
	if err != nil {
		return err.Error()
	}
	generation := parent.GetGeneration()
	observed, known, err := observedGeneration(x, parent)
	if err != nil {
		return err.Error()
	}
	said := conditionsOf(parent)
	ready, ok := said["Ready"]
	switch {
	case !ok:
		return "the parent has no condition Ready"
	case usual.generation != 0 && ready.generation != generation:
		return fmt.Sprintf("the parent has generation %d, and its condition Ready says observedGeneration %d", generation, ready.generation)
	case known && observed != generation:
		return fmt.Sprintf("the parent has generation %d, and its status says observedGeneration %d", generation, observed)
	case ready.status != "True" && ready.reason != usual.reason && !slices.Contains(aboutHealth, ready.reason):
		return fmt.Sprintf("the child is as desired, and the parent says %s", said)
	}
	return ""
}

// untruthsOf returns what the operator reports untruthfully about a parent and its children. It
// returns nothing if an author has replaced what Sync desires of one of them.
func (x *exploration) untruthsOf(h *exploredParent) []string {
	for _, s := range h.children {
		if s.who == author {
			return nil
		}
	}
	x.truth.Lock()
	defer x.truth.Unlock()
	x.c.listed = map[listedKind][]metav1.PartialObjectMetadata{}
	if text := describeUntruthsOf(x.c, h.object); text != "" {
		return []string{strings.TrimSpace(text)}
	}
	return nil
}

// observedGeneration returns the observed generation of a parent, if the status of its kind has
// one.
func observedGeneration(x *exploration, parent *unstructured.Unstructured) (observed int64, known bool, err error) {
	s, err := x.shapes.shapeOf(parent.GroupVersionKind())
	if err != nil {
		return 0, false, err
	}
	known = s.field("status").field("observedGeneration").node != nil
	observed, _, err = unstructured.NestedInt64(parent.Object, "status", "observedGeneration")
	return observed, known, err
}

func readParent(x *exploration, h *exploredParent) (*unstructured.Unstructured, error) {
	parent := new(unstructured.Unstructured)
	parent.SetGroupVersionKind(kindOf(x.c, h.object))
	return parent, x.c.Client.Get(x.ctx, client.ObjectKeyFromObject(h.object), parent)
}

// liveParent returns what a parent says and carries. It is empty if the parent cannot be read.
func liveParent(x *exploration, h *exploredParent) usualParent {
	parent, err := readParent(x, h)
	if err != nil {
		x.t.Error(err)
		return usualParent{}
	}
	return usualParent{conditionsOf(parent), parent.GetFinalizers()}
}
