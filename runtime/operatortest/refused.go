package operatortest

import (
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Refused requires that the API server refuses an object with a message that contains a text: its creation, or the change of
// the object of this name to what it is here, so that rules that compare with the old object count, too. It stores nothing,
// whatever the API server answers.
func (c *Cluster) Refused(object client.Object, says string) {
	c.t.Helper()
	c.operator.SetNamespace(object)
	var answer error
	c.Eventually("there is an answer about "+c.operator.Describe(object), func() error {
		made, live := object.DeepCopyObject().(client.Object), object.DeepCopyObject().(client.Object)
		if c.Get(live) {
			made.SetResourceVersion(live.GetResourceVersion())
			answer = c.Client.Update(c.t.Context(), made, client.DryRunAll)
		} else {
			made.SetResourceVersion("")
			answer = c.Client.Create(c.t.Context(), made, client.DryRunAll)
		}
		if apierrors.IsConflict(answer) || apierrors.IsAlreadyExists(answer) { // somebody else has changed it
			return answer
		}
		return nil
	})
	switch {
	case answer == nil:
		c.t.Errorf("the API server accepts %s, want it refused: %q", c.operator.Describe(object), says)
	case !strings.Contains(answer.Error(), says):
		c.t.Errorf("the API server refuses %s, want a message with %q:\n%v", c.operator.Describe(object), says, answer)
	}
}
