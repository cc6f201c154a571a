package operator

import (
	"errors"
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/opgen-dev/opgen/runtime/internal/apply"
	"github.com/opgen-dev/opgen/runtime/internal/backoff"
)

func TestFailedPassIsRepeatedEarlyOnlyForNews(t *testing.T) {
	start := time.Unix(1000, 0)
	parent := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{ResourceVersion: "10"}}
	changed := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{ResourceVersion: "11"}}
	terminal := reconcile.TerminalError(errors.New("no"))

	for _, test := range []struct {
		name    string
		err     error
		requeue time.Duration
		parent  client.Object
		input   uint64
		after   time.Duration
		waits   bool
	}{
		{name: "an echo of the status write", err: errors.New("no"), parent: parent, input: 1, waits: true},
		{name: "its time has come", err: errors.New("no"), parent: parent, input: 1, after: time.Second, waits: false},
		{name: "the parent changed", err: errors.New("no"), parent: changed, input: 1, waits: false},
		{name: "a child changed", err: errors.New("no"), parent: parent, input: 2, waits: false},
		{name: "the name of a child may be free again", err: apply.ErrTaken{}, parent: parent, input: 1, waits: false},
		{name: "a terminal error, much later", err: terminal, parent: parent, input: 1, after: time.Hour, waits: true},
		{name: "a terminal error, before the requeue", err: terminal, requeue: time.Hour, parent: parent, input: 1, after: time.Minute, waits: true},
		{name: "a terminal error, at the requeue", err: terminal, requeue: time.Hour, parent: parent, input: 1, after: time.Hour, waits: false},
		{name: "a terminal error, the parent changed", err: terminal, parent: changed, input: 1, waits: false},
	} {
		t.Run(test.name, func(t *testing.T) {
			var s state
			s.fail(test.err, test.requeue, 1, "10", start)
			if _, waits := s.waits(test.parent, test.input, start.Add(test.after)); waits != test.waits {
				t.Errorf("waits = %v, want %v", waits, test.waits)
			}
		})
	}
}

func TestRetriesBackOff(t *testing.T) {
	var s state
	for _, least := range []time.Duration{backoff.Retries.First, 2 * backoff.Retries.First, 4 * backoff.Retries.First} {
		delay := s.fail(errors.New("no"), 0, 1, "10", time.Unix(0, 0))
		if most := least + least/5; delay < least || delay > most {
			t.Errorf("delay is %s, want between %s and %s", delay, least, most)
		}
	}
	for range 100 {
		s.fail(errors.New("no"), 0, 1, "10", time.Unix(0, 0))
	}
	if delay := s.fail(errors.New("no"), 0, 1, "10", time.Unix(0, 0)); delay < backoff.Retries.Longest || delay > 2*backoff.Retries.Longest {
		t.Errorf("delay is %s after many failures, want about %s", delay, backoff.Retries.Longest)
	}
}

func TestFingerprintTellsVersionsApart(t *testing.T) {
	object := func(uid types.UID, version string) client.Object {
		return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{UID: uid, ResourceVersion: version}}
	}
	first := fingerprint([][]client.Object{{object("a", "1"), object("b", "2")}, {object("c", "3")}})
	if got := fingerprint([][]client.Object{{object("b", "2"), object("a", "1")}, {object("c", "3")}}); got != first {
		t.Error("the order of a list changes the fingerprint")
	}
	if got := fingerprint([][]client.Object{{object("a", "1"), object("b", "2")}, {object("c", "4")}}); got == first {
		t.Error("a new version leaves the fingerprint as it was")
	}
	twice := func(version string) uint64 {
		return fingerprint([][]client.Object{{object("a", version)}, {object("a", version)}})
	}
	if twice("1") == twice("2") {
		t.Error("an object that two entries select can change unseen")
	}
}

func TestStateOfAnEarlierParentIsNotUsed(t *testing.T) {
	s, name := newStates(), types.NamespacedName{Name: "web"}
	first := s.of(name, "1")
	if s.of(name, "1") != first {
		t.Error("a parent loses its state between passes")
	}
	if s.of(name, "2") == first {
		t.Error("a new parent of the name gets the old one's state")
	}
}

func TestParentThatIsGoneLeavesNothing(t *testing.T) {
	s, name := newStates(), types.NamespacedName{Name: "web"}
	s.of(name, "1")
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
