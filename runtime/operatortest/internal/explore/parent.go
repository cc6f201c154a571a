package explore

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

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
	case ready.Status != "True" && ready.Reason != usual.Reason && !ready.IsAboutHealth():
		return fmt.Sprintf("the child is as desired, and the parent says %s", said)
	}
	return ""
}

// untruths returns what the operator reports untruthfully about a parent and its children. It
// returns nothing if an author has replaced what Sync desires of one of them.
func (p *exploredParent) untruths() []string {
	for _, c := range p.children {
		if c.who == author {
			return nil
		}
	}
	if text := p.x.checker.UntruthsOf(p.object); text != "" {
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
