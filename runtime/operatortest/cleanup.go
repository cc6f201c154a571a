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

// cleanUp deletes the objects of the test while the operator still runs, because they may have its
// finalizer, and then stops the operator. It removes finalizers that remain after half a minute, so
// that nothing stays in the cluster.
func cleanUp(c *Cluster) {
	c.ClearFaults()
	loops := knownLoops(c)
	objects := slices.Concat(c.created, listParents(c, loops))
	deleteObjects(c, objects...)
	left := awaitFinalizers(c, objects)
	operated := runningProcess(c) != nil && exitError(c) == nil
	if len(left) == 0 {
		endWithoutLeaks(c)
	}
	c.Stop()
	awaitCrashed(c)
	for _, object := range left {
		if operated && hasOwnFinalizer(object, loops) {
			c.t.Errorf("Finalize never removed the finalizer of %s, for %s", describeObject(c.Client, object), c.letsGo)
		}
		removeFinalizers(c, object, loops)
	}
	deleteObjects(c, c.rights...)
	deleteObjects(c, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: c.Namespace}})
}

// knownLoops returns the loops of the operator that runs, or ran last.
func knownLoops(c *Cluster) []*testcontrol.Loop {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running != nil {
		if loops := c.running.control.Loops(); len(loops) > 0 {
			return loops
		}
	}
	return c.stopped
}

// listParents returns the parents in the test's namespace, whoever created them.
func listParents(c *Cluster, loops []*testcontrol.Loop) (parents []client.Object) {
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

// deleteObjects deletes objects, and logs errors.
func deleteObjects(c *Cluster, objects ...client.Object) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for _, object := range objects {
		if err := c.Client.Delete(ctx, object); client.IgnoreNotFound(err) != nil {
			c.t.Log(err)
		}
	}
}

// awaitFinalizers waits until no object has a finalizer, while an operator runs that may remove it.
// It returns the objects that still have one.
func awaitFinalizers(c *Cluster, objects []client.Object) (finalized []client.Object) {
	ctx, cancel := context.WithTimeout(context.Background(), c.letsGo+patience)
	defer cancel()
	for deadline := time.Now().Add(c.letsGo); ; time.Sleep(interval) {
		finalized = slices.DeleteFunc(slices.Clone(objects), func(object client.Object) bool {
			err := c.Client.Get(ctx, client.ObjectKeyFromObject(object), object)
			return err != nil || len(object.GetFinalizers()) == 0
		})
		if len(finalized) == 0 || runningProcess(c) == nil || exitError(c) != nil || time.Now().After(deadline) {
			return finalized
		}
	}
}

// hasOwnFinalizer reports whether an object has a finalizer of the operator.
func hasOwnFinalizer(object client.Object, loops []*testcontrol.Loop) bool {
	return slices.ContainsFunc(loops, func(l *testcontrol.Loop) bool { return controllerutil.ContainsFinalizer(object, l.Finalizer) })
}

// removeFinalizers removes the finalizers of an object and deletes its children, because no
// operator does.
func removeFinalizers(c *Cluster, object client.Object, loops []*testcontrol.Loop) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for _, loop := range loops {
		for _, kind := range loop.Children {
			children, err := listKind(c, ctx, kind)
			if err != nil {
				c.t.Log(err)
			}
			for _, child := range children {
				if owner, _ := loop.ParentOf(child); owner == object.GetUID() {
					deleteObjects(c, child)
				}
			}
		}
	}
	release := client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`))
	if err := c.Client.Patch(ctx, object, release); client.IgnoreNotFound(err) != nil {
		c.t.Log(err)
	}
}
