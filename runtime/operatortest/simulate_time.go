package operatortest

import (
	"time"

	"github.com/opgen-dev/opgen/runtime/operatortest/internal/simulation"
)

const (
	// maxSteps is how many steps a simulation may need to converge.
	maxSteps = 20
	// maxRequeues is how many requeues may be due at one time.
	maxRequeues = 20
)

// Now returns the time of the simulation's clock.
func (s *Simulation[P, C, R, D, S]) Now() time.Time { return s.world.Now }

// Advance moves the clock forward. The step that the last one asked for, by RequeueAfter, runs at its
// time if that comes meanwhile, and so does the one that this asks for.
func (s *Simulation[P, C, R, D, S]) Advance(by time.Duration) {
	s.t.Helper()
	end, atOnce := s.world.Now.Add(by), 0
	for !s.due.IsZero() && !s.due.After(end) {
		if atOnce++; s.due.After(s.world.Now) {
			s.world.Now, atOnce = s.due, 0
		}
		if atOnce > maxRequeues {
			s.t.Fatal("Sync asks for a reconcile at a time that has passed, again and again: RequeueAfter is negative")
		}
		s.Step()
	}
	s.world.Now = end
}

// Converged steps until a step changes nothing. It fails the test if the 20th step still changes the
// parent or a child, with what it changes: such an operator would write forever.
func (s *Simulation[P, C, R, D, S]) Converged() {
	s.t.Helper()
	var differences string
	for range maxSteps {
		before := s.contents()
		s.Step()
		if differences = before.diffTo(s.contents()); differences == "" {
			return
		}
	}
	s.t.Fatalf("the simulation does not converge: step %d still changes (-before +after):\n%s", maxSteps, differences)
}

// contents returns the parent and the children.
func (s *Simulation[P, C, R, D, S]) contents() State {
	contents := s.world.Contents()
	contents[simulation.Describe(s.Parent)] = simulation.Content(s.Parent)
	return State{contents}
}
