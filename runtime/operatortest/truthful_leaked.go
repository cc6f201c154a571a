package operatortest

import (
	"context"
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
	"github.com/opgen-dev/opgen/runtime/internal/passes"
)

// leaked reports the children whose parent is gone: those in the test's namespace, and
// those elsewhere whose parent the operator has reconciled. An operator that works on a
// part of the parents alone leaves children of unknown parents to others. collected
// tells whether children with an owner reference are to be gone, too.
func (c *Cluster) leaked(collected func() bool) string {
	c.t.Helper()
	if c.running == nil || c.parentSelector != "" {
		return ""
	}
	var text strings.Builder
	for _, loop := range c.knownLoops() {
		var living map[types.UID]bool
		for _, kind := range loop.Children {
			for _, child := range c.labelled(loop, kind, "") {
				owner, _ := loop.ParentOf(&child)
				if !c.isOurs(loop, &child, owner) {
					continue
				}
				if living == nil {
					living = c.living()
				}
				if !living[owner] && (!ownership.Referenced(&child, owner) || collected()) {
					fmt.Fprintf(&text, "%s is a child of a parent that is gone\n", nameOfChild(passes.Child{Kind: kind, Name: client.ObjectKeyFromObject(&child)}))
				}
			}
		}
	}
	return text.String()
}

// endWithoutLeaks checks that the operator has removed the children of the parents that
// are gone now that the test has ended, but for those that the cluster removes.
func (c *Cluster) endWithoutLeaks() {
	ctx, cancel := context.WithTimeout(context.Background(), 2*patience)
	defer cancel()
	c.ending = ctx
	if !c.operates() {
		return
	}
	if report := c.lasting(endurance, func() string { return c.leaked(func() bool { return false }) }); report != "" {
		c.t.Errorf("the operator has left children:\n%s", report)
	}
}

// isOurs reports whether a child is one that this test's operator has made, and still to
// be there.
func (c *Cluster) isOurs(loop *passes.Loop, child client.Object, owner types.UID) bool {
	made := slices.ContainsFunc(child.GetManagedFields(), func(e metav1.ManagedFieldsEntry) bool { return e.Manager == loop.Manager })
	return owner != "" && made && child.GetDeletionTimestamp() == nil && c.history.knows(owner)
}

// living are the UIDs of all parents.
func (c *Cluster) living() map[types.UID]bool {
	c.t.Helper()
	living := map[types.UID]bool{}
	for _, loop := range c.knownLoops() {
		list := new(metav1.PartialObjectMetadataList)
		list.SetGroupVersionKind(loop.Parent.GroupVersion().WithKind(loop.Parent.Kind + "List"))
		if err := c.Client.List(c.context(), list); err != nil {
			c.t.Log(err)
		}
		for _, parent := range list.Items {
			living[parent.UID] = true
		}
	}
	return living
}

// collectsGarbage reports whether the cluster runs the controllers that delete children
// after their owners.
func (c *Cluster) collectsGarbage() bool {
	lease := new(coordinationv1.Lease)
	err := c.Client.Get(c.context(), client.ObjectKey{Namespace: metav1.NamespaceSystem, Name: "kube-controller-manager"}, lease)
	return err == nil && time.Since(ptr.Deref(lease.Spec.RenewTime, metav1.MicroTime{}).Time) < time.Minute
}
