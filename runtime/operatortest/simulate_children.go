package operatortest

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/operatortest/internal/simulation"
)

// Get reads a child by its name, in the parent's namespace if the object names none. It reports
// whether the child exists.
func (s *Simulation[P, C, R, D, S]) Get(child client.Object) bool { return s.world.Get(child) }

// Create adds children that exist although Sync has not desired them yet.
func (s *Simulation[P, C, R, D, S]) Create(children ...client.Object) {
	s.t.Helper()
	if err := s.world.Create(children...); err != nil {
		s.t.Fatal(err)
	}
}

// Update reads a child, changes it as somebody else would, and stores it with its status.
func (s *Simulation[P, C, R, D, S]) Update(child client.Object, change func()) {
	s.t.Helper()
	if !s.world.Update(child, change) {
		s.t.Fatalf("%s does not exist", simulation.Describe(child))
	}
}

// Delete deletes children, as somebody else would. The parent stays, with a deletionTimestamp, until
// Finalize lets it go.
func (s *Simulation[P, C, R, D, S]) Delete(objects ...client.Object) {
	s.t.Helper()
	for _, object := range objects {
		if object == client.Object(s.Parent) {
			now := metav1.NewTime(s.world.Now)
			s.Parent.SetDeletionTimestamp(&now)
		} else if !s.world.Delete(object) {
			s.t.Fatalf("%s does not exist", simulation.Describe(object))
		}
	}
}

// Refuse has the API server refuse each write of a child with this error, as a quota does. Nil lets it
// accept the child again.
func (s *Simulation[P, C, R, D, S]) Refuse(child client.Object, err error) {
	s.world.Refuse(child, err)
}

// MakeReady sets the status of children that are ready, as [Cluster.MakeReady] does, with that of a
// workload itself in place of its Pods.
func (s *Simulation[P, C, R, D, S]) MakeReady(children ...client.Object) {
	s.t.Helper()
	for _, child := range children {
		if err := s.world.MakeReady(child); err != nil {
			s.t.Fatalf("make %s ready: %v", simulation.Describe(child), err)
		}
	}
}

// MakeFailed sets the status of children that have failed, as [Cluster.MakeFailed] does.
func (s *Simulation[P, C, R, D, S]) MakeFailed(children ...client.Object) {
	s.t.Helper()
	for _, child := range children {
		if err := s.world.MakeFailed(child); err != nil {
			s.t.Fatalf("make %s failed: %v", simulation.Describe(child), err)
		}
	}
}

// MakeCrashing sets the status of a Pod whose containers have been restarted so many times, and wait
// for the next restart.
func (s *Simulation[P, C, R, D, S]) MakeCrashing(pod *corev1.Pod, restarts int32) {
	s.t.Helper()
	if err := s.world.MakeCrashing(pod, restarts); err != nil {
		s.t.Fatalf("make %s crash: %v", simulation.Describe(pod), err)
	}
}
