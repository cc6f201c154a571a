package explore

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/testcontrol"
	"github.com/opgen-dev/opgen/runtime/operatortest/internal/truth"
)

// parentProblem returns an error in the status of a parent whose child is in sync. It is empty if
// there is none, or if the parent has no Ready condition.
func (c *exploredChild) parentProblem() string {
	usual, ok := c.x.usual[c.variant].conditions["Ready"]
	if !ok {
		return ""
	}
	parent, err := c.parent.read()
	if err != nil {
		return err.Error()
	}
	generation := parent.GetGeneration()
	observed, known, err := c.x.observedGeneration(parent)
	if err != nil {
		return err.Error()
	}
	said := truth.ConditionsOf(parent)
	ready, ok := said["Ready"]
	switch {
	case !ok:
		return "the parent has no condition Ready"
	case usual.Generation != 0 && ready.Generation != generation:
		return fmt.Sprintf("the parent has generation %d, and its condition Ready says observedGeneration %d", generation, ready.Generation)
	case known && observed != generation:
		return fmt.Sprintf("the parent has generation %d, and its status says observedGeneration %d", generation, observed)
	case ready.Status != "True" && ready.Reason != usual.Reason && !ready.IsAboutHealth() && !c.isAboutOthers(said.String()):
		return fmt.Sprintf("the child is as desired, and the parent says %s", said)
	}
	return ""
}

// isAboutOthers reports whether a text names other children in trials, and not this one: their own trials check them.
func (c *exploredChild) isAboutOthers(text string) bool {
	isNamed := func(other *exploredChild) bool {
		return truth.Mentions(text, testcontrol.Child{Kind: other.child.Kind, Name: other.child.Name})
	}
	return !isNamed(c) && slices.ContainsFunc(slices.Collect(maps.Values(c.parent.children)), isNamed)
}

// untruths returns what the operator reports untruthfully about the parent of a child and its children. It returns nothing
// if an author has replaced what Sync desires of one of them, and nothing about other children in trials.
func (c *exploredChild) untruths() []string {
	for _, other := range c.parent.children {
		if other.who == author {
			return nil
		}
	}
	if text := c.x.checker.UntruthsOf(c.parent.object); text != "" && !c.isAboutOthers(text) {
		return []string{strings.TrimSpace(text)}
	}
	return nil
}

// observedGeneration returns the observed generation of a parent, if the status of its kind has
// one.
func (x *exploration) observedGeneration(parent *unstructured.Unstructured) (observed int64, known bool, err error) {
	kind, err := x.checker.Schemas.Kind(parent.GroupVersionKind())
	if err != nil {
		return 0, false, err
	}
	known = kind.Field("status").Field("observedGeneration").Exists()
	observed, _, err = unstructured.NestedInt64(parent.Object, "status", "observedGeneration")
	return observed, known, err
}

func (p *exploredParent) read() (*unstructured.Unstructured, error) {
	parent := new(unstructured.Unstructured)
	parent.SetGroupVersionKind(p.x.operator.KindOf(p.object))
	return parent, p.x.operator.Client.Get(p.x.ctx, client.ObjectKeyFromObject(p.object), parent)
}

// readUsual returns what a parent says and carries. It is empty if the parent cannot be read.
func (p *exploredParent) readUsual() usualParent {
	parent, err := p.read()
	if err != nil {
		p.x.t.Error(err)
		return usualParent{}
	}
	return usualParent{truth.ConditionsOf(parent), parent.GetFinalizers()}
}
