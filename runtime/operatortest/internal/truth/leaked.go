package truth

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/ownership"
	"github.com/opgen-dev/opgen/runtime/internal/testcontrol"
	"github.com/opgen-dev/opgen/runtime/operatortest/internal/instance"
)

// describeLeaked reports the children whose parent is gone, of the parents that the operator has
// reconciled in this test. collected asks for those that the garbage collector is to
// delete, since they refer to the parent; the others are the operator's. One that works
// on a part of the parents alone leaves children of unknown parents to others.
func (c *Checker) describeLeaked(collected bool) string {
	c.T.Helper()
	if c.RunningProcess() == nil || c.ProcessOptions().ParentSelector != "" {
		return ""
	}
	var text strings.Builder
	for _, loop := range c.KnownLoops() {
		var living map[types.UID]bool
		for _, kind := range loop.Children {
			for _, child := range c.listLabelled(loop, kind) {
				owner, _ := loop.ParentOf(&child)
				if !c.isOurs(loop, &child, owner) || ownership.HasOwnerReference(&child, owner) != collected {
					continue
				}
				if living == nil {
					living = c.livingParents()
				}
				if !living[owner] {
					fmt.Fprintf(&text, "%s is a child of a parent that is gone\n", nameOfChild(testcontrol.Child{Kind: kind, Name: client.ObjectKeyFromObject(&child)}))
				}
			}
		}
	}
	return text.String()
}

// RequireCollected goes on from the last check: it waits until the garbage collector has deleted
// the children of parents that are gone, if the cluster has one, and fails the test if it does not.
func (c *Checker) RequireCollected() {
	c.T.Helper()
	if c.describeLeaked(true) == "" || !c.collectsGarbage() {
		return
	}
	c.EventuallyWithin(instance.Emptying(), 10*instance.Interval, "the garbage collector deletes the children of parents that are gone", func() error {
		c.dropReadings()
		if left := c.describeLeaked(true); left != "" {
			return errors.New(left)
		}
		return nil
	})
}

// checkLeaks checks that the operator has removed the children of the parents that
// are gone now that the test has ended, but for those that the cluster removes.
func (c *Checker) checkLeaks() {
	ctx, cancel := context.WithTimeout(context.Background(), 2*instance.Patience())
	defer cancel()
	c.Ending = ctx
	if !c.isOperating() {
		return
	}
	if report, _ := c.checkLasting(endurance, func() string {
		c.refreshReadings()
		return c.describeLeaked(false)
	}); report != "" {
		c.T.Errorf("the operator has left children:\n%s", report)
	}
}

// isOurs reports whether a child is one that this test's operator has made, and still to
// be there.
func (c *Checker) isOurs(loop *testcontrol.Loop, child client.Object, owner types.UID) bool {
	made := slices.ContainsFunc(child.GetManagedFields(), func(e metav1.ManagedFieldsEntry) bool { return e.Manager == loop.Manager })
	return owner != "" && made && child.GetDeletionTimestamp() == nil && c.history.knowsParent(owner)
}

// livingParents are the UIDs of all parents.
func (c *Checker) livingParents() map[types.UID]bool {
	c.T.Helper()
	living := map[types.UID]bool{}
	for _, loop := range c.KnownLoops() {
		list := new(metav1.PartialObjectMetadataList)
		list.SetGroupVersionKind(loop.Parent.GroupVersion().WithKind(loop.Parent.Kind + "List"))
		if err := c.Client.List(c.Context(), list); err != nil {
			c.T.Log(err)
		}
		for _, parent := range list.Items {
			living[parent.UID] = true
		}
	}
	return living
}

// collectsGarbage reports whether the cluster runs the controllers that delete children
// after their owners.
func (c *Checker) collectsGarbage() bool {
	lease := new(coordinationv1.Lease)
	err := c.Client.Get(c.Context(), client.ObjectKey{Namespace: metav1.NamespaceSystem, Name: "kube-controller-manager"}, lease)
	return err == nil && time.Since(ptr.Deref(lease.Spec.RenewTime, metav1.MicroTime{}).Time) < time.Minute
}
