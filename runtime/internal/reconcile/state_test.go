package reconcile

import (
	"errors"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

func TestSumVersions(t *testing.T) {
	object := func(uid types.UID, version string) client.Object {
		return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{UID: uid, ResourceVersion: version}}
	}
	first := sumVersions([][]client.Object{{object("a", "1"), object("b", "2")}, {object("c", "3")}})
	if got := sumVersions([][]client.Object{{object("b", "2"), object("a", "1")}, {object("c", "3")}}); got != first {
		t.Error("the order of a list changes the sum")
	}
	if got := sumVersions([][]client.Object{{object("a", "1"), object("b", "2")}, {object("c", "4")}}); got == first {
		t.Error("a new version leaves the sum as it was")
	}
	twice := func(version string) uint64 {
		return sumVersions([][]client.Object{{object("a", version)}, {object("a", version)}})
	}
	if twice("1") == twice("2") {
		t.Error("an object that two entries select can change unseen")
	}
}

func TestStateOfAnEarlierParentIsNotUsed(t *testing.T) {
	s, name := newStates(), types.NamespacedName{Name: "web"}
	first := s.getOrAdd(name, "1")
	if s.getOrAdd(name, "1") != first {
		t.Error("a parent loses its state between reconciles")
	}
	if s.getOrAdd(name, "2") == first {
		t.Error("a new parent of the name gets the old one's state")
	}
}

func TestParentThatIsGoneLeavesNothing(t *testing.T) {
	s, name := newStates(), types.NamespacedName{Name: "web"}
	s.getOrAdd(name, "1")
	s.forget(name)
	if len(s.byName) > 0 {
		t.Errorf("states are %v", s.byName)
	}
}

func TestTerminalErrors(t *testing.T) {
	transient, terminal := errors.New("the backend is away"), reconcile.TerminalError(errors.New("the text makes no sense"))
	child := errChild{err: errors.New("refused")}
	for _, test := range []struct {
		name string
		err  error
		want bool
	}{
		{"transient", transient, false},
		{"terminal", terminal, true},
		{"terminal, with context", fmt.Errorf("spec: %w", terminal), true},
		{"terminal, about several", reconcile.TerminalError(errors.Join(transient, transient)), true},
		{"several, all terminal", errors.Join(terminal, terminal), true},
		{"several, one transient", errors.Join(terminal, transient), false},
		{"several with context, one transient", fmt.Errorf("spec: %w", errors.Join(transient, terminal)), false},
		{"a child beside it", errors.Join(terminal, child), false},
		{"given up", errGaveUp{3, errors.Join(terminal, child)}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := isTerminal(test.err); got != test.want {
				t.Errorf("terminal = %v, want %v", got, test.want)
			}
		})
	}
}
