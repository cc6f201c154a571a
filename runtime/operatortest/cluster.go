package operatortest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/testcontrol"
)

const (
	patience = 30 * time.Second // the time limit for the cluster to do something
	interval = 20 * time.Millisecond

	// emptying is the time limit for the deletion of a Namespace. The cluster deletes its
	// objects kind by kind, several times.
	emptying = 2 * time.Minute
)

// Cluster is a real API server with an operator that runs against it. Its methods fail the test if
// the API server refuses a request.
type Cluster struct {
	// Client reads and writes directly, without a cache, and is not counted
	// among the operator's requests.
	Client client.Client
	// Namespace is the test's own.
	Namespace string

	t       *testing.T
	config  Config
	server  *rest.Config
	audit   *audit
	sent    *sent
	clock   *testcontrol.Clock
	faults  *faultPlan
	created []client.Object
	letsGo  time.Duration   // how long Finalize may take at the end of the test
	rights  []client.Object // of the operator, which needs them until the end

	mu      sync.Mutex
	running *process            // nil while the operator is stopped
	stopped []*testcontrol.Loop // of the operator that ran before
	crashed []*process          // these may not have ended yet

	admissions int // number of admission fixtures

	history history                                       // of what Sync desired
	normals map[string]*unstructured.Unstructured         // desired children as the API server would create them; see normalize
	listed  map[listedKind][]metav1.PartialObjectMetadata // during one check; see listLabelled
	ending  context.Context                               // once the test has ended
}

// context ends with the test, or with its cleanup.
func (c *Cluster) context() context.Context {
	if c.ending != nil {
		return c.ending
	}
	return c.t.Context()
}

// Create creates objects, in the test's namespace if they name none.
func (c *Cluster) Create(objects ...client.Object) {
	c.t.Helper()
	for _, object := range objects {
		c.setNamespace(object)
		if err := c.Client.Create(c.t.Context(), object); err != nil {
			c.t.Fatal(err)
		}
		c.created = append(c.created, object)
	}
}

// Get reads an object by its name, in the test's namespace if it names none. It reports whether the
// object exists.
func (c *Cluster) Get(object client.Object) bool {
	c.t.Helper()
	c.setNamespace(object)
	err := c.Client.Get(c.context(), client.ObjectKeyFromObject(object), object)
	if client.IgnoreNotFound(err) != nil {
		c.t.Fatal(err)
	}
	return err == nil
}

// Update reads an object, changes it and writes it, and retries after a conflict.
func (c *Cluster) Update(object client.Object, change func()) {
	c.t.Helper()
	c.Eventually("the object is updated", func() error {
		if !c.Get(object) {
			return fmt.Errorf("%s does not exist", object.GetName())
		}
		change()
		return c.Client.Update(c.t.Context(), object)
	})
}

// UpdateStatus is Update for the status of an object.
func (c *Cluster) UpdateStatus(object client.Object, change func()) {
	c.t.Helper()
	c.Eventually("the status is updated", func() error {
		if !c.Get(object) {
			return fmt.Errorf("%s does not exist", object.GetName())
		}
		change()
		return c.Client.Status().Update(c.t.Context(), object)
	})
}

// Delete deletes objects without a grace period, and does not wait until they are gone.
func (c *Cluster) Delete(objects ...client.Object) {
	c.t.Helper()
	for _, object := range objects {
		c.setNamespace(object)
		if err := c.Client.Delete(c.t.Context(), object, client.GracePeriodSeconds(0)); client.IgnoreNotFound(err) != nil {
			c.t.Fatal(err)
		}
	}
}

// Eventually waits until check returns nil, and fails the test with its last error after half a
// minute. what completes the sentence "waiting until …".
func (c *Cluster) Eventually(what string, check func() error) {
	c.t.Helper()
	c.eventuallyWithin(patience, interval, what, check)
}

// eventuallyWithin is Eventually with a time limit, and a pause between two checks.
func (c *Cluster) eventuallyWithin(patience, pause time.Duration, what string, check func() error) {
	c.t.Helper()
	deadline := time.Now().Add(patience)
	for {
		err := check()
		if err == nil {
			return
		}
		if ended := exitError(c); ended != nil {
			c.t.Fatalf("waiting until %s: the operator ended: %v", what, ended)
		}
		if time.Now().After(deadline) {
			c.t.Fatalf("waiting until %s: %v", what, err)
		}
		time.Sleep(pause)
	}
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
		c.setNamespace(object)
		got := object.DeepCopyObject().(client.Object)
		c.Eventually(describeObject(c.Client, object)+" is as expected", func() error {
			if !c.Get(got) {
				return errors.New("it does not exist")
			}
			if differences := DiffSubset(object, got); differences != "" {
				return errors.New("it differs (-expected +got):\n" + indentLines(differences))
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
		current, patience := object.DeepCopyObject().(client.Object), patience
		if _, ok := object.(*corev1.Namespace); ok {
			patience = emptying
		}
		c.eventuallyWithin(patience, interval, object.GetName()+" is gone", func() error {
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

// setNamespace sets the test's namespace on a namespaced object that has none.
func (c *Cluster) setNamespace(object client.Object) {
	c.t.Helper()
	namespaced, err := c.Client.IsObjectNamespaced(object)
	if err != nil {
		c.t.Fatal(err)
	}
	if namespaced && object.GetNamespace() == "" {
		object.SetNamespace(c.Namespace)
	}
}
