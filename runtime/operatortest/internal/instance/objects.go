package instance

import (
	"context"
	"fmt"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Context ends with the test, or with its cleanup.
func (o *Operator) Context() context.Context {
	if o.Ending != nil {
		return o.Ending
	}
	return o.T.Context()
}

// ClientAsOperator returns a client that has the permissions of the operator. It returns nil if they are
// those of the test.
func (o *Operator) ClientAsOperator() client.Client {
	o.T.Helper()
	if o.Config.User == "" {
		return nil
	}
	return o.clientAs(o.Config.User)
}

// clientAs returns a client that has the permissions of a user.
func (o *Operator) clientAs(user string) client.Client {
	o.T.Helper()
	server := o.testConfig()
	server.Impersonate.UserName = user
	limited, err := client.New(server, client.Options{Scheme: o.Client.Scheme(), Mapper: o.Client.RESTMapper()})
	if err != nil {
		o.T.Fatal(err)
	}
	return limited
}

// Create creates objects, in the test's namespace if they name none.
func (o *Operator) Create(objects ...client.Object) {
	o.T.Helper()
	for _, object := range objects {
		o.SetNamespace(object)
		if err := o.Client.Create(o.T.Context(), object); err != nil {
			o.T.Fatal(err)
		}
		o.Created = append(o.Created, object)
	}
}

// Get reads an object by its name, in the test's namespace if it names none. It reports whether the
// object exists.
func (o *Operator) Get(object client.Object) bool {
	o.T.Helper()
	o.SetNamespace(object)
	name := client.ObjectKeyFromObject(object)
	o.changes.noteRead(o.KindOf(object).GroupKind(), name)
	err := o.Client.Get(o.Context(), name, object)
	if client.IgnoreNotFound(err) != nil {
		o.T.Fatal(err)
	}
	return err == nil
}

// Update reads an object, changes it and writes it, and retries after a conflict.
func (o *Operator) Update(object client.Object, change func()) {
	o.T.Helper()
	o.Eventually("the object is updated", func() error {
		if !o.Get(object) {
			return fmt.Errorf("%s does not exist", object.GetName())
		}
		change()
		return o.Client.Update(o.T.Context(), object)
	})
}

// UpdateStatus is Update for the status of an object.
func (o *Operator) UpdateStatus(object client.Object, change func()) {
	o.T.Helper()
	o.Eventually("the status is updated", func() error {
		if !o.Get(object) {
			return fmt.Errorf("%s does not exist", object.GetName())
		}
		change()
		return o.Client.Status().Update(o.T.Context(), object)
	})
}

// Delete deletes objects without a grace period, and does not wait until they are gone.
func (o *Operator) Delete(objects ...client.Object) {
	o.T.Helper()
	for _, object := range objects {
		o.SetNamespace(object)
		if err := o.Client.Delete(o.T.Context(), object, client.GracePeriodSeconds(0)); client.IgnoreNotFound(err) != nil {
			o.T.Fatal(err)
		}
	}
}

// Eventually waits until check returns nil, and fails the test with its last error after
// Patience. what completes the sentence "waiting until …". It checks again when a watch of the operator has delivered an object
// that check reads by Get, or at any change if check reads none, and seldom otherwise.
func (o *Operator) Eventually(what string, check func() error) {
	o.T.Helper()
	o.EventuallyWithin(Patience(), Interval, what, check)
}

// EventuallyWithin is Eventually with a time limit, and the shortest pause between two checks.
func (o *Operator) EventuallyWithin(patience, pause time.Duration, what string, check func() error) {
	o.T.Helper()
	var last error
	done := o.changes.poll(time.Now().Add(patience), pause, max(pause, LongestInterval), func() bool {
		if last = check(); last == nil {
			return true
		}
		if ended := o.ExitError(); ended != nil {
			o.T.Fatalf("waiting until %s: the operator ended: %v", what, ended)
		}
		return false
	})
	if !done {
		o.T.Fatalf("waiting until %s: %v\n%s", what, last, o.DescribeSituation())
	}
}

// SetNamespace sets the test's namespace on a namespaced object that has none.
func (o *Operator) SetNamespace(object client.Object) {
	o.T.Helper()
	namespaced, err := o.Client.IsObjectNamespaced(object)
	if err != nil {
		o.T.Fatal(err)
	}
	if namespaced && object.GetNamespace() == "" {
		object.SetNamespace(o.Namespace)
	}
}
