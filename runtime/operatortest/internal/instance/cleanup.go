package instance

import (
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/opgen-dev/opgen/runtime/internal/testcontrol"
)

// cleanUp deletes the objects of the test while the operator still runs, because they may have its
// finalizer, and then stops the operator. It removes finalizers that remain after half a minute, so
// that nothing stays in the cluster.
func (o *Operator) cleanUp() {
	if o.unfollow != nil {
		defer o.unfollow()
	}
	o.Faults.RemoveFaults()
	loops := o.KnownLoops()
	left, finalized := o.deleteParents(loops)
	operated := o.RunningProcess() != nil && o.ExitError() == nil
	if len(left) == 0 && o.BeforeStop != nil {
		o.BeforeStop()
	}
	o.Stop()
	o.awaitCrashed()
	o.checkRoles()
	for _, object := range left {
		if operated && hasOwnFinalizer(object, loops) {
			o.T.Errorf("the operator never removed its finalizer of %s, for %s%s", o.Describe(object), o.FinalizeLimit, describeReady(object))
		}
		o.removeFinalizers(object, loops)
	}
	if finalized {
		for _, object := range o.ownParents(loops) { // that Finalize has created since
			o.DeleteObjects(object)
			if len(object.GetFinalizers()) > 0 {
				o.removeFinalizers(object, loops)
			}
		}
	}
	o.DeleteObjects(o.rights...)
	if os.Getenv(keepVariable) == "" {
		o.DeleteObjects(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: o.Namespace}})
	}
}

// keepVariable is set for a cluster that goes with the tests. The namespaces of the tests go with it, too: to delete one
// costs the API server as much as most tests do.
const keepVariable = "OPGEN_TEST_KEEP_NAMESPACES"

// mostGenerations is how often cleanUp looks for parents that the Finalize of others has created.
const mostGenerations = 5

// deleteParents deletes the objects of the test and all parents in its namespace, and then the parents
// that their Finalize has created meanwhile, such as a last backup. It returns the objects that still have a
// finalizer, and whether one ever had.
func (o *Operator) deleteParents(loops []*testcontrol.Loop) (left []client.Object, finalized bool) {
	objects, known := slices.Clone(o.Created), map[types.UID]bool{}
	for _, parent := range o.ownParents(loops) {
		if !slices.ContainsFunc(objects, func(created client.Object) bool { return created.GetUID() == parent.GetUID() }) {
			objects = append(objects, parent)
		}
	}
	for range mostGenerations {
		o.DeleteObjects(objects...)
		waiting := slices.DeleteFunc(slices.Clone(objects), o.isGone)
		if len(waiting) == 0 {
			break
		}
		finalized = true
		left = o.awaitFinalizers(waiting)
		for _, object := range objects {
			known[object.GetUID()] = true
		}
		created := slices.DeleteFunc(o.ownParents(loops), func(parent client.Object) bool { return known[parent.GetUID()] })
		if len(left) > 0 || len(created) == 0 || o.RunningProcess() == nil {
			break
		}
		objects = created
	}
	return left, finalized
}

// isGone reports whether the API server has deleted an object at once, since it had no finalizer.
func (o *Operator) isGone(object client.Object) bool {
	mapping, err := o.Client.RESTMapper().RESTMapping(o.KindOf(object).GroupKind())
	if err != nil {
		return false
	}
	state, ok := o.Written.State(mapping.Resource.GroupResource(), client.ObjectKeyFromObject(object))
	return ok && state.Deleted
}

// KnownLoops returns the loops of the operator that runs, or ran last.
func (o *Operator) KnownLoops() []*testcontrol.Loop {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.running != nil {
		if loops := o.running.Control.Loops(); len(loops) > 0 {
			return loops
		}
	}
	return o.stopped
}

// ListParents returns the parents in the test's namespace, whoever created them.
func (o *Operator) ListParents(loops []*testcontrol.Loop) (parents []client.Object) {
	return slices.DeleteFunc(o.ownParents(loops), func(parent client.Object) bool { return parent.GetNamespace() == "" })
}

// ownParents returns the parents in the test's namespace, and those without a namespace whose label test names it, whoever
// created them.
func (o *Operator) ownParents(loops []*testcontrol.Loop) (parents []client.Object) {
	ctx, cancel := context.WithTimeout(context.Background(), Patience())
	defer cancel()
	for _, loop := range loops {
		list := new(metav1.PartialObjectMetadataList)
		list.SetGroupVersionKind(loop.Parent.GroupVersion().WithKind(loop.Parent.Kind + "List"))
		if err := o.Client.List(ctx, list, client.InNamespace(o.Namespace)); err != nil {
			o.T.Log(err)
		}
		for i := range list.Items {
			if parent := &list.Items[i]; parent.Namespace != "" || parent.Labels["test"] == o.Namespace {
				parent.SetGroupVersionKind(loop.Parent)
				parents = append(parents, parent)
			}
		}
	}
	return parents
}

// DeleteObjects deletes objects, and logs errors.
func (o *Operator) DeleteObjects(objects ...client.Object) {
	ctx, cancel := context.WithTimeout(context.Background(), Patience())
	defer cancel()
	for _, object := range objects {
		if err := o.Client.Delete(ctx, object); client.IgnoreNotFound(err) != nil {
			o.T.Log(err)
		}
	}
}

// awaitFinalizers waits until no object has a finalizer, while an operator runs that may remove it.
// It returns the objects that still have one.
func (o *Operator) awaitFinalizers(objects []client.Object) (finalized []client.Object) {
	ctx, cancel := context.WithTimeout(context.Background(), o.FinalizeLimit+Patience())
	defer cancel()
	for deadline := time.Now().Add(o.FinalizeLimit); ; time.Sleep(Interval) {
		finalized = slices.DeleteFunc(slices.Clone(objects), func(object client.Object) bool {
			err := o.Client.Get(ctx, client.ObjectKeyFromObject(object), object)
			return err != nil || len(object.GetFinalizers()) == 0
		})
		if len(finalized) == 0 || o.RunningProcess() == nil || o.ExitError() != nil || time.Now().After(deadline) {
			return finalized
		}
	}
}

// hasOwnFinalizer reports whether an object has a finalizer of the operator.
func hasOwnFinalizer(object client.Object, loops []*testcontrol.Loop) bool {
	return slices.ContainsFunc(loops, func(l *testcontrol.Loop) bool { return controllerutil.ContainsFinalizer(object, l.Finalizer) })
}

// describeReady returns what the Ready condition of an object says, as the end of a message; empty if there is none.
func describeReady(object client.Object) string {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		return ""
	}
	conditions, _, _ := unstructured.NestedSlice(content, "status", "conditions")
	for _, item := range conditions {
		if condition, ok := item.(map[string]any); ok && condition["type"] == "Ready" {
			return fmt.Sprintf(": Ready=%v, %v: %v", condition["status"], condition["reason"], condition["message"])
		}
	}
	return ""
}

// removeFinalizers removes the finalizers of an object and deletes its children, because no
// operator does.
func (o *Operator) removeFinalizers(object client.Object, loops []*testcontrol.Loop) {
	ctx, cancel := context.WithTimeout(context.Background(), Patience())
	defer cancel()
	for _, loop := range loops {
		for _, kind := range loop.Children {
			children, err := o.listKind(ctx, kind)
			if err != nil {
				o.T.Log(err)
			}
			for _, child := range children {
				if owner, _ := loop.ParentOf(child); owner == object.GetUID() {
					o.DeleteObjects(child)
				}
			}
		}
	}
	release := client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`))
	if err := o.Client.Patch(ctx, object, release); client.IgnoreNotFound(err) != nil {
		o.T.Log(err)
	}
}
