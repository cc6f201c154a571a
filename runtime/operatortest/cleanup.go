package operatortest

import (
	"context"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/opgen-dev/opgen/runtime/internal/testcontrol"
)

// cleanUp deletes what the test made while the operator still runs, since it may
// hold a finalizer, and then stops it. What a finalizer still holds after half a
// minute is removed all the same: nothing stays in the cluster.
func (c *Cluster) cleanUp() {
	c.ClearFaults()
	loops := c.knownLoops()
	objects := slices.Concat(c.created, c.parents(loops))
	c.delete(objects...)
	left := c.awaitFinalizers(objects)
	operated := c.process() != nil && c.failed() == nil
	if len(left) == 0 {
		c.endWithoutLeaks()
	}
	c.Stop()
	c.awaitCrashed()
	for _, object := range left {
		if operated && isHeld(object, loops) {
			c.t.Errorf("Finalize never let go of %s: it has been waiting for %s", describeObject(c.Client, object), c.letsGo)
		}
		c.remove(object, loops)
	}
	c.delete(c.rights...)
	c.delete(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: c.Namespace}})
}

// knownLoops are those of the operator that runs, or of the one that ran last.
func (c *Cluster) knownLoops() []*testcontrol.Loop {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running != nil {
		if loops := c.running.control.Loops(); len(loops) > 0 {
			return loops
		}
	}
	return c.stopped
}

// parents are those in the test's namespace, whoever made them.
func (c *Cluster) parents(loops []*testcontrol.Loop) (parents []client.Object) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for _, loop := range loops {
		list := new(metav1.PartialObjectMetadataList)
		list.SetGroupVersionKind(loop.Parent.GroupVersion().WithKind(loop.Parent.Kind + "List"))
		if err := c.Client.List(ctx, list, client.InNamespace(c.Namespace)); err != nil {
			c.t.Log(err)
		}
		for i := range list.Items {
			if parent := &list.Items[i]; parent.Namespace != "" {
				parent.SetGroupVersionKind(loop.Parent)
				parents = append(parents, parent)
			}
		}
	}
	return parents
}

// delete asks for the deletion of objects, and logs what the API server has
// against it.
func (c *Cluster) delete(objects ...client.Object) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for _, object := range objects {
		if err := c.Client.Delete(ctx, object); client.IgnoreNotFound(err) != nil {
			c.t.Log(err)
		}
	}
}

// awaitFinalizers waits until no object is held by a finalizer, for as long as an
// operator runs that may take it off, and returns those that are.
func (c *Cluster) awaitFinalizers(objects []client.Object) (held []client.Object) {
	ctx, cancel := context.WithTimeout(context.Background(), c.letsGo+patience)
	defer cancel()
	for deadline := time.Now().Add(c.letsGo); ; time.Sleep(interval) {
		held = slices.DeleteFunc(slices.Clone(objects), func(object client.Object) bool {
			err := c.Client.Get(ctx, client.ObjectKeyFromObject(object), object)
			return err != nil || len(object.GetFinalizers()) == 0
		})
		if len(held) == 0 || c.process() == nil || c.failed() != nil || time.Now().After(deadline) {
			return held
		}
	}
}

// isHeld reports whether an object carries a finalizer of the operator.
func isHeld(object client.Object, loops []*testcontrol.Loop) bool {
	return slices.ContainsFunc(loops, func(l *testcontrol.Loop) bool { return controllerutil.ContainsFinalizer(object, l.Finalizer) })
}

// remove takes the finalizers off an object, and deletes its children, for which
// nobody is left to do so.
func (c *Cluster) remove(object client.Object, loops []*testcontrol.Loop) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for _, loop := range loops {
		for _, kind := range loop.Children {
			children, err := c.listKind(ctx, kind)
			if err != nil {
				c.t.Log(err)
			}
			for _, child := range children {
				if owner, _ := loop.ParentOf(child); owner == object.GetUID() {
					c.delete(child)
				}
			}
		}
	}
	release := client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`))
	if err := c.Client.Patch(ctx, object, release); client.IgnoreNotFound(err) != nil {
		c.t.Log(err)
	}
}
