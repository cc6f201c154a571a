package instance

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/opgen-dev/opgen/runtime/internal/testcontrol"
)

// Order makes a loop reconcile a parent, as [testcontrol.Loop.Force] does.
type Order func(*testcontrol.Loop, client.ObjectKey) (done func() (testcontrol.Reconcile, bool), ok bool)

// Reconcile makes the operator reconcile a parent now, ordered in this way, and waits for the result.
// A reconcile whose cache was stale is repeated.
func (o *Operator) Reconcile(parent client.Object, order Order) testcontrol.Reconcile {
	o.T.Helper()
	o.SetNamespace(parent)
	name := client.ObjectKeyFromObject(parent)
	loop := o.LoopOf(parent)
	o.Eventually("the operator sees "+o.Describe(parent)+" as it is", func() error { return o.isParentCached(loop, name) })
	return o.reconcileCached(parent, loop, order)
}

// reconcileCached is Reconcile for a parent that the operator sees as it is.
func (o *Operator) reconcileCached(parent client.Object, loop *testcontrol.Loop, order Order) testcontrol.Reconcile {
	o.T.Helper()
	name := client.ObjectKeyFromObject(parent)
	for {
		done, ok := order(loop, name)
		if !ok {
			o.T.Fatal("the operator has not started")
		}
		ended := o.awaitResult("a reconcile of "+o.Describe(parent)+" ends", done)
		if !ended.IsStale {
			return ended
		}
		time.Sleep(Glance)
	}
}

// ReconcileSettled makes the operator, which is settled, reconcile parents. It fails the test if a reconcile fails.
func (o *Operator) ReconcileSettled(parents []client.Object, order Order) {
	o.T.Helper()
	for _, parent := range parents {
		if result := o.reconcileCached(parent, o.LoopOf(parent), order); result.Err != nil {
			o.failReconcile(parent, result)
		}
	}
}

func (o *Operator) failReconcile(parent client.Object, result testcontrol.Reconcile) {
	o.T.Helper()
	o.T.Fatalf("a reconcile of %s failed with reason %s: %v", o.Describe(parent), result.Reason, result.Err)
}

// awaitResult waits for the result of an ordered reconcile.
func (o *Operator) awaitResult(what string, done func() (testcontrol.Reconcile, bool)) (ended testcontrol.Reconcile) {
	o.T.Helper()
	o.EventuallyWithin(Patience(), Glance, what, func() (err error) {
		var ok bool
		if ended, ok = done(); !ok {
			err = errors.New("it has not")
		}
		return err
	})
	return ended
}

// ReconcileAll makes the operator reconcile parents. It fails the test if a reconcile fails.
func (o *Operator) ReconcileAll(parents []client.Object, order Order) {
	o.T.Helper()
	for _, parent := range parents {
		if result := o.Reconcile(parent, order); result.Err != nil {
			o.failReconcile(parent, result)
		}
	}
}

// isParentCached returns an error if the operator's cache does not show a parent as the API server
// has it.
func (o *Operator) isParentCached(loop *testcontrol.Loop, name client.ObjectKey) error {
	live, cached := loop.Empty.DeepCopyObject().(client.Object), loop.Empty.DeepCopyObject().(client.Object)
	if err := client.IgnoreNotFound(o.Client.Get(o.T.Context(), name, live)); err != nil {
		return err
	}
	if err := client.IgnoreNotFound(loop.Cache.Get(o.T.Context(), name, cached)); err != nil {
		return err
	}
	if live.GetResourceVersion() != cached.GetResourceVersion() {
		return fmt.Errorf("it sees resource version %q, the API server has %q", cached.GetResourceVersion(), live.GetResourceVersion())
	}
	return nil
}

// RunningLoops returns the loops of the operator that runs.
func (o *Operator) RunningLoops() []*testcontrol.Loop {
	o.T.Helper()
	if o.RunningProcess() == nil {
		o.T.Fatal("the operator is stopped")
	}
	return o.RunningProcess().Control.Loops()
}

// LoopOf returns the loop for the parents of a kind. It waits until the operator has started.
func (o *Operator) LoopOf(parent client.Object) *testcontrol.Loop {
	o.T.Helper()
	loops := o.LoopsOf(parent)
	if len(loops) > 1 {
		o.T.Fatalf("several controllers have parents of kind %s", loops[0].Parent.Kind)
	}
	return loops[0]
}

// LoopsOf returns the loops for the parents of a kind. It waits until the operator has started.
func (o *Operator) LoopsOf(parent client.Object) []*testcontrol.Loop {
	o.T.Helper()
	kind := o.KindOf(parent)
	o.Eventually("the operator has started", func() error {
		loops := o.RunningLoops()
		for _, loop := range loops {
			if !loop.Started() {
				return errors.New("it has not")
			}
		}
		if len(loops) == 0 {
			return errors.New("it has no controller")
		}
		return nil
	})
	loops := slices.DeleteFunc(o.RunningLoops(), func(l *testcontrol.Loop) bool { return l.Parent.GroupKind() != kind.GroupKind() })
	if len(loops) == 0 {
		o.T.Fatalf("no controller has parents of kind %s", kind.Kind)
	}
	return loops
}

// KindOf returns the kind of an object.
func (o *Operator) KindOf(object client.Object) schema.GroupVersionKind {
	o.T.Helper()
	kind, err := apiutil.GVKForObject(object, o.Client.Scheme())
	if err != nil {
		o.T.Fatal(err)
	}
	return kind
}

// Describe returns an object as messages name it, such as "Pod web".
func (o *Operator) Describe(object client.Object) string {
	kind, err := apiutil.GVKForObject(object, o.Client.Scheme())
	if err != nil {
		return object.GetName()
	}
	return kind.Kind + " " + object.GetName()
}
