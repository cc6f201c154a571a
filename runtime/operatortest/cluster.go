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
	patience = 30 * time.Second // with what the cluster has yet to do
	interval = 20 * time.Millisecond

	// emptying is patience with a Namespace that is being deleted: the cluster
	// deletes kind by kind whatever may be in it, and looks again.
	emptying = 2 * time.Minute
)

// Cluster is a real API server with an operator that runs against it. Its
// methods fail the test when the API server refuses something.
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
	letsGo  time.Duration   // how long Finalize may take in the end
	rights  []client.Object // of the operator, which needs them to the end

	mu      sync.Mutex
	running *process            // nil while the operator is stopped
	stopped []*testcontrol.Loop // of the operator that ran before
	crashed []*process          // that may not have ended yet

	admissions int // fixtures that were set up

	history history                                       // of what Sync desired
	normals map[string]*unstructured.Unstructured         // desired children as the API server makes them anew; see normal
	listed  map[listedKind][]metav1.PartialObjectMetadata // during one check; see labelled
	ending  context.Context                               // once the test has ended
}

// context ends with the test, or with what is to be done after it.
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
		c.place(object)
		if err := c.Client.Create(c.t.Context(), object); err != nil {
			c.t.Fatal(err)
		}
		c.created = append(c.created, object)
	}
}

// Get reads an object by its name, and in the test's namespace if it names
// none. It reports whether there is one.
func (c *Cluster) Get(object client.Object) bool {
	c.t.Helper()
	c.place(object)
	err := c.Client.Get(c.context(), client.ObjectKeyFromObject(object), object)
	if client.IgnoreNotFound(err) != nil {
		c.t.Fatal(err)
	}
	return err == nil
}

// Update reads an object, changes it and writes it back, again if someone else
// wrote meanwhile.
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

// Delete deletes objects at once, and does not wait until they are gone.
func (c *Cluster) Delete(objects ...client.Object) {
	c.t.Helper()
	for _, object := range objects {
		c.place(object)
		if err := c.Client.Delete(c.t.Context(), object, client.GracePeriodSeconds(0)); client.IgnoreNotFound(err) != nil {
			c.t.Fatal(err)
		}
	}
}

// Eventually waits until check returns nil, and fails the test with its last
// error after half a minute. what completes the sentence "waiting until …".
func (c *Cluster) Eventually(what string, check func() error) {
	c.t.Helper()
	c.within(patience, interval, what, check)
}

// within is Eventually with a time limit, and a pause between two checks.
func (c *Cluster) within(patience, pause time.Duration, what string, check func() error) {
	c.t.Helper()
	deadline := time.Now().Add(patience)
	for {
		err := check()
		if err == nil {
			return
		}
		if ended := c.failed(); ended != nil {
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

// Matches waits until each object exists and has every field that is set in what
// is expected; see [DiffSubset]. It fails the test with the fields that differ.
func (c *Cluster) Matches(expected ...client.Object) {
	c.t.Helper()
	for _, object := range expected {
		c.place(object)
		got := object.DeepCopyObject().(client.Object)
		c.Eventually(describeObject(c.Client, object)+" is as expected", func() error {
			if !c.Get(got) {
				return errors.New("it does not exist")
			}
			if differences := DiffSubset(object, got); differences != "" {
				return errors.New("it differs (-expected +got):\n" + indent(differences))
			}
			return nil
		})
	}
}

// Gone waits until the objects do not exist, or are others of the same name: up
// to two minutes for a Namespace. It does not change what it is given.
func (c *Cluster) Gone(objects ...client.Object) {
	c.t.Helper()
	for _, object := range objects {
		current, patience := object.DeepCopyObject().(client.Object), patience
		if _, ok := object.(*corev1.Namespace); ok {
			patience = emptying
		}
		c.within(patience, interval, object.GetName()+" is gone", func() error {
			if c.Get(current) && isSame(object, current) {
				return errors.New("it still exists")
			}
			return nil
		})
	}
}

// isSame reports whether an object is the one that was seen before, and not
// another of its name. One without a UID was not seen before.
func isSame(before, now client.Object) bool {
	return before.GetUID() == "" || before.GetUID() == now.GetUID()
}

// place puts a namespaced object that names no namespace into the test's.
func (c *Cluster) place(object client.Object) {
	c.t.Helper()
	namespaced, err := c.Client.IsObjectNamespaced(object)
	if err != nil {
		c.t.Fatal(err)
	}
	if namespaced && object.GetNamespace() == "" {
		object.SetNamespace(c.Namespace)
	}
}
