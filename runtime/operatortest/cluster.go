package operatortest

import (
	"errors"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/operatortest/internal/admission"
	"github.com/opgen-dev/opgen/runtime/operatortest/internal/diff"
	"github.com/opgen-dev/opgen/runtime/operatortest/internal/instance"
	"github.com/opgen-dev/opgen/runtime/operatortest/internal/truth"
)

// Cluster is a real API server with an operator that runs against it. Its methods fail the test if
// the API server refuses a request.
type Cluster struct {
	// Client reads and writes directly, without a cache, and is not counted
	// among the operator's requests.
	Client client.Client
	// Namespace is the test's own.
	Namespace string

	t         *testing.T
	operator  *instance.Operator
	checker   *truth.Checker
	admission *admission.Fixtures
}

// Create creates objects, in the test's namespace if they name none.
func (c *Cluster) Create(objects ...client.Object) {
	c.t.Helper()
	c.operator.Create(objects...)
}

// Get reads an object by its name, in the test's namespace if it names none. It reports whether the
// object exists.
func (c *Cluster) Get(object client.Object) bool {
	c.t.Helper()
	return c.operator.Get(object)
}

// Update reads an object, changes it and writes it, and retries after a conflict.
func (c *Cluster) Update(object client.Object, change func()) {
	c.t.Helper()
	c.operator.Update(object, change)
}

// UpdateStatus is Update for the status of an object.
func (c *Cluster) UpdateStatus(object client.Object, change func()) {
	c.t.Helper()
	c.operator.UpdateStatus(object, change)
}

// Delete deletes objects without a grace period, and does not wait until they are gone.
func (c *Cluster) Delete(objects ...client.Object) {
	c.t.Helper()
	c.operator.Delete(objects...)
}

// Eventually waits until check returns nil, and fails the test with its last error after a
// minute. what completes the sentence "waiting until …".
func (c *Cluster) Eventually(what string, check func() error) {
	c.t.Helper()
	c.operator.Eventually(what, check)
}

// Restart stops the operator and starts it again, with empty memory.
func (c *Cluster) Restart() {
	c.t.Helper()
	c.operator.Stop()
	c.operator.Start()
}

// Stop stops the operator and waits until it has ended.
func (c *Cluster) Stop() {
	c.t.Helper()
	c.operator.Stop()
}

// Exists waits until the objects exist, and reads them.
func (c *Cluster) Exists(objects ...client.Object) {
	c.t.Helper()
	for _, object := range objects {
		c.Eventually(object.GetName()+" exists", func() error {
			if !c.Get(object) {
				return errors.New("it does not")
			}
			return nil
		})
	}
}

// Matches waits until each object exists and has every field that is set in the expected one; see
// [DiffSubset]. It fails the test with the fields that differ.
func (c *Cluster) Matches(expected ...client.Object) {
	c.t.Helper()
	for _, object := range expected {
		c.operator.SetNamespace(object)
		got := object.DeepCopyObject().(client.Object)
		c.Eventually(c.operator.Describe(object)+" is as expected", func() error {
			if !c.Get(got) {
				return errors.New("it does not exist")
			}
			if differences := DiffSubset(object, got); differences != "" {
				return errors.New("it differs (-expected +got):\n" + diff.Indent(differences))
			}
			return nil
		})
	}
}

// Gone waits until the objects do not exist, or other objects have their names. For a Namespace it
// waits up to two minutes. It does not change its arguments.
func (c *Cluster) Gone(objects ...client.Object) {
	c.t.Helper()
	for _, object := range objects {
		current, patience := object.DeepCopyObject().(client.Object), instance.Patience()
		if _, ok := object.(*corev1.Namespace); ok {
			patience = instance.Emptying()
		}
		c.operator.EventuallyWithin(patience, instance.Interval, object.GetName()+" is gone", func() error {
			if c.Get(current) && isSame(object, current) {
				return errors.New("it still exists")
			}
			return nil
		})
	}
}

// isSame reports whether an object is the one that was read before, and not another of the name. An
// object without a UID was not read before.
func isSame(before, now client.Object) bool {
	return before.GetUID() == "" || before.GetUID() == now.GetUID()
}
