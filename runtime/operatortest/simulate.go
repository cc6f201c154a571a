package operatortest

import (
	"context"
	"errors"
	"reflect"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/process"
	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest/internal/simulation"
)

// Simulation is one parent in memory, of which each step calls Sync once and carries out what it
// returns. [Simulate] makes one.
//
// A step does what the runtime does with an answer. The desired children become the observed ones, and
// the undesired ones go, at once. Status, conditions, labels and annotations are stored in the parent.
// It obeys the options of children, as far as they say when and whether a child is written. It leaves out
// what needs an API server or other controllers:
//
//   - Nothing validates or defaults an object, and nothing refuses one but [Simulation.Refuse]: no schema,
//     admission, quota or immutable field. [Defaulted] gives a parent the defaults of its schema.
//   - No controller runs. A Deployment has no Pods, a StatefulSet has no claims, and a workload is ready
//     only after [Simulation.MakeReady].
//   - A field that Sync stops setting is removed. No other field manager has fields of its own, and
//     [operator.HandOver] and adoption do nothing. A name conflict never happens.
//   - Lists of custom resources without a Go type are replaced as a whole. A rolling update changes one
//     child at each step.
//   - The runtime's conditions Ready, Reconciling and Stalled are not written, and nothing is kept after
//     the parent is gone.
//   - A related object is what the test says: it does not change by a step, nor by a patch.
//
// So a test against a cluster ([Start]) is needed as well.
type Simulation[P client.Object, C, R, D, S any] struct {
	// Parent is the object that Simulate got. A test changes it between steps, and a step stores the
	// status in it. Its generation follows its spec.
	Parent P
	// Related are the related objects. A test sets them.
	Related R
	// Finalize runs in place of Sync after Delete has been called with the parent.
	Finalize func(context.Context, *operator.Request[P, C, R]) (*operator.Response[D, S], error)

	t          testing.TB
	sync       func(context.Context, *operator.Request[P, C, R]) (*operator.Response[D, S], error)
	kinds      process.BindKinds
	world      *simulation.World
	remembered simulation.Parent
	due        time.Time // of the requeue that the last step asked for; zero: there is none
	isGone     bool      // Finalize has let the parent go
}

// Simulate returns a simulation of a parent that has no children yet. With the operator's controller,
// it knows the strategies, the policies and the rules that the spec file gives the kinds of children;
// otherwise, these are the defaults. Its clock starts at the creationTimestamp of the parent, or with
// the year 2030.
func Simulate[P client.Object, C, R, D, S any](
	t testing.TB, sync func(context.Context, *operator.Request[P, C, R]) (*operator.Response[D, S], error), parent P, controller ...operator.Controller,
) *Simulation[P, C, R, D, S] {
	t.Helper()
	s := &Simulation[P, C, R, D, S]{t: t, sync: sync, Parent: parent, kinds: operator.BindByName}
	if len(controller) > 0 {
		s.kinds = process.KindsOf(controller[0])
	}
	created := parent.GetCreationTimestamp()
	if created.IsZero() {
		created = metav1.Date(2030, time.January, 1, 0, 0, 0, 0, time.UTC)
		parent.SetCreationTimestamp(created)
	}
	if parent.GetUID() == "" {
		parent.SetUID("00000000-0000-4000-8000-000000000000")
	}
	s.world = simulation.New(parent.GetNamespace(), created.Time, s.kinds(new(C), new(D)))
	return s
}

// Request returns the request of the next step.
func (s *Simulation[P, C, R, D, S]) Request() operator.Request[P, C, R] {
	s.remembered.Observe(s.Parent)
	request := operator.Request[P, C, R]{Parent: s.Parent.DeepCopyObject().(P), Related: s.Related, Now: s.world.Now}
	s.world.Show(s.kinds(&request.Children, new(D)))
	return request
}

// Step calls Sync, carries out its answer, and returns it. It fails the test if Sync returns an error.
func (s *Simulation[P, C, R, D, S]) Step() *operator.Response[D, S] {
	s.t.Helper()
	response, err := s.step(false)
	if err != nil {
		s.t.Fatalf("unexpected error: %v", err)
	}
	return response
}

// Expect is [Simulation.Step] that requires what a case expects. The request of the case stays empty:
// it is that of the simulation.
func (s *Simulation[P, C, R, D, S]) Expect(expected Case[operator.Request[P, C, R], operator.Response[D, S]]) *operator.Response[D, S] {
	s.t.Helper()
	if !reflect.ValueOf(expected.Given).IsZero() {
		s.t.Fatal("leave Given empty: the request is that of the simulation")
	}
	response, err := s.step(expected.NoneApplied)
	expected.requireAnswer(s.t, response, err)
	return response
}

func (s *Simulation[P, C, R, D, S]) step(refusesAll bool) (*operator.Response[D, S], error) {
	s.t.Helper()
	request, function, name := s.Request(), s.sync, "Sync"
	isDeleted := s.Parent.GetDeletionTimestamp() != nil
	switch {
	case s.isGone:
		s.t.Fatal("the parent is gone")
	case isDeleted && s.Finalize == nil:
		s.t.Fatal("the parent is deleted: set Finalize")
	case isDeleted:
		function, name = s.Finalize, "Finalize"
	}
	response, err := function(s.t.Context(), &request)
	s.due = time.Time{}
	if response == nil {
		if err == nil {
			err = errors.New(name + " returned neither a response nor an error")
		}
		return nil, err
	}
	if response.Finalized && !isDeleted {
		s.t.Fatal("Sync returned Finalized, which only Finalize may")
	}
	s.applyChildren(response, simulation.Order{Prunes: err == nil && !response.KeepAll, RefusesAll: refusesAll})
	s.storeParent(response)
	s.isGone = response.Finalized && err == nil
	return response, err
}

func (s *Simulation[P, C, R, D, S]) applyChildren(response *operator.Response[D, S], order simulation.Order) {
	s.t.Helper()
	if response.Children == nil {
		return
	}
	applied, err := s.world.Apply(s.kinds(new(C), response.Children), order)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, child := range applied {
		callRecords(child, response)
	}
}

// storeParent stores what a response says of the parent.
func (s *Simulation[P, C, R, D, S]) storeParent(response *operator.Response[D, S]) {
	var status any
	if response.Status != nil {
		status = response.Status
	}
	s.remembered.SetStatus(s.Parent, status)
	s.remembered.SetConditions(s.Parent, response.Conditions, metav1.NewTime(s.world.Now))
	s.remembered.SetMetadata(s.Parent, response.Labels, response.Annotations)
	if response.RequeueAfter != 0 {
		s.due = s.world.Now.Add(max(response.RequeueAfter, 0))
	}
}
