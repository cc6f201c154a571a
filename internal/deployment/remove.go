package deployment

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
)

// Remove does what a plan says, the last applied object first, and returns what became of each. The
// Pods of a Deployment, and a namespace, may take until the timeout to go.
//
// Deployments go before the roles of their Pods, so that an operator ends its work with its
// permissions, and webhook configurations before what answers them. If one of these cannot be
// deleted, nothing after it is.
//
// An object that was deleted and created again since the plan stays, and is an error. The operator's
// namespace stays if something is in it then that the plan does not know.
func (c *Cluster) Remove(ctx context.Context, plan *RemovalPlan, timeout time.Duration) ([]Change, error) {
	var changes []Change
	var errs []error
	for _, each := range plan.items {
		change, err := c.remove(ctx, plan, each, timeout)
		if err == nil {
			changes = append(changes, change)
			continue
		}
		errs = append(errs, fmt.Errorf("%s: %w", change.Title(), err))
		if othersNeed(each.live) {
			break
		}
	}
	return changes, errors.Join(errs...)
}

// othersNeed reports whether objects that are deleted later have to be there while this one is.
func othersNeed(o *Object) bool {
	return slices.Contains([]string{"Deployment", "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"}, o.GetKind())
}

func (c *Cluster) remove(ctx context.Context, plan *RemovalPlan, each plannedRemoval, timeout time.Duration) (Change, error) {
	if each.Action == Kept {
		return each.Change, nil
	}
	if isNamespace(each.live) {
		return c.removeNamespace(ctx, plan, each, timeout)
	}
	if each.Kind != "Deployment" {
		return each.Change, c.delete(ctx, each.live, metav1.DeletePropagationBackground)
	}
	if err := c.delete(ctx, each.live, metav1.DeletePropagationForeground); err != nil {
		return each.Change, err
	}
	return each.Change, c.awaitGone(ctx, each.live, timeout)
}

// removeNamespace removes the operator's namespace, unless it has an object that is neither among
// those that go nor goes with them.
func (c *Cluster) removeNamespace(ctx context.Context, plan *RemovalPlan, each plannedRemoval, timeout time.Duration) (Change, error) {
	content, err := c.readContent(ctx, each.Name, plan.storage)
	if err != nil {
		return each.Change, err
	}
	if left := content.left(content.going(plan.kinds, plan.going[each.Name])); len(left) > 0 {
		return changeOf(each.live, Kept, "it has "+enumerate(left)), nil
	}
	if err := c.delete(ctx, each.live, metav1.DeletePropagationBackground); err != nil {
		return each.Change, err
	}
	return each.Change, c.awaitGone(ctx, each.live, timeout)
}

// uidsOf returns the identities of the objects that go from a namespace, and from none.
func uidsOf(items []plannedRemoval, namespace string) sets.Set[types.UID] {
	uids := sets.New[types.UID]()
	for _, each := range items {
		if each.Action == Deleted && !isNamespace(each.live) && (each.Namespace == "" || each.Namespace == namespace) {
			uids.Insert(each.live.GetUID())
		}
	}
	return uids
}
