package process

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// heldLock is the lock of a lease that others hold, or that cannot be read.
type heldLock struct {
	memoryLock
	raw string
	err error
}

func (l *heldLock) Get(context.Context) (*resourcelock.LeaderElectionRecord, []byte, error) {
	return &resourcelock.LeaderElectionRecord{HolderIdentity: "them"}, []byte(l.raw), l.err
}

// recorded are Events.
type recorded struct{ events []string }

func (r *recorded) Eventf(object, _ runtime.Object, eventType, reason, _, note string, args ...any) {
	lease := object.(*coordinationv1.Lease)
	r.events = append(r.events, fmt.Sprintf("%s/%s %s %s: ", lease.Namespace, lease.Name, eventType, reason)+fmt.Sprintf(note, args...))
}

// A replica is ready while one of them writes the lease, and says so if that has not happened for a minute.
func TestReadinessFollowsTheLease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		lock, events := &heldLock{}, &recorded{}
		l := &lease{
			Interface: lock, onLoss: func(error) {}, events: &leaseEvents{events}, logger: slog.New(slog.NewTextHandler(&log, nil)), written: time.Now(),
			about:  &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "sites"}},
			metric: prometheus.NewGauge(prometheus.GaugeOpts{Name: "lease"}),
		}
		const missing, advice = "no replica holds the lease ns/sites", ": the operator's role does not let it get, create and update leases there, and make deploy applies the generated role: "
		forbidden := apierrors.NewForbidden(schema.GroupResource{Resource: "leases"}, "sites", errors.New(`User "a" cannot get resource "leases"`))
		for i, step := range []struct {
			says  string
			does  func()
			after time.Duration // with a look every 2 s
			ready bool
			shown int    // Events so far
			why   string // as the last error says
		}{
			{"nothing is known", func() {}, 0, false, 0, ""},
			{"it is forbidden", func() { lock.err = forbidden }, 50 * time.Second, false, 0, advice + forbidden.Error()},
			{"for a minute", func() {}, 20 * time.Second, false, 1, advice + forbidden.Error()},
			{"for long, but not yet for an hour", func() {}, 50 * time.Minute, false, 1, advice + forbidden.Error()},
			{"for more than an hour", func() {}, 15 * time.Minute, false, 2, advice + forbidden.Error()},
			{"another replica has written it", func() { lock.err, lock.raw = nil, "1" }, 2 * time.Second, true, 2, ""},
			{"nobody writes it any more", func() {}, 50 * time.Second, true, 2, ""},
			{"for a minute", func() {}, 20 * time.Second, false, 3, ""},
			{"it was written again", func() { lock.raw = "2" }, 2 * time.Second, true, 3, ""},
			{"it cannot be read", func() { lock.err = errors.New("unreachable") }, 50 * time.Second, true, 3, ""},
			{"for a minute", func() {}, 20 * time.Second, false, 4, ": unreachable"},
			{"it was taken", func() {
				if err := l.Update(t.Context(), resourcelock.LeaderElectionRecord{HolderIdentity: "us"}); err != nil {
					t.Fatal(err)
				}
			}, 0, true, 4, ""},
		} {
			step.does()
			for end := time.Now().Add(step.after); time.Now().Before(end); time.Sleep(retryPeriod) {
				_, _, _ = l.Get(t.Context())
			}
			err := l.checkReady(nil)
			if (err == nil) != step.ready || err != nil && err.Error() != missing+step.why {
				t.Errorf("step %d, %s: ready says %v", i, step.says, err)
			}
			if len(events.events) != step.shown || strings.Count(log.String(), "does not work") != step.shown {
				t.Errorf("step %d, %s: %d Events, want %d, and in the log: %s", i, step.says, len(events.events), step.shown, log.String())
			}
			var shown dto.Metric
			if err := l.metric.Write(&shown); err != nil {
				t.Fatal(err)
			}
			if got, want := shown.GetGauge().GetValue() == 1, l.announced != (time.Time{}); got != want {
				t.Errorf("step %d, %s: the metric is %v, want %v", i, step.says, got, want)
			}
		}
		l.stopTimer()
		if want := "ns/sites Warning LeaseUnavailable: " + missing + advice + forbidden.Error(); events.events[0] != want {
			t.Errorf("the Event is %q, want %q", events.events[0], want)
		}
	})
}

// A Pod that is not ready gets no requests for its webhooks, which every replica answers.
func TestWithoutTheLeaseWebhooksAreServed(t *testing.T) {
	lock := &lease{Interface: &heldLock{}}
	for name, test := range map[string]struct {
		registers bool
		port      int
		code      int
	}{
		"no webhooks":                   {false, 9443, http.StatusInternalServerError},
		"webhooks that nobody asks for": {true, 0, http.StatusInternalServerError},
		"webhooks":                      {true, 9443, http.StatusOK},
	} {
		webhooks := newWebhookServer(Options{WebhookPort: test.port})
		if test.registers {
			webhooks.Register("/validate", http.NotFoundHandler())
		}
		served := newProbes(webhooks, lock).listReady()
		for i := range served { // this one starts no server
			if served[i].name == "webhooks" {
				served[i].check = func(*http.Request) error { return nil }
			}
		}
		answer := httptest.NewRecorder()
		answerProbe(answer, httptest.NewRequest(http.MethodGet, "/readyz?verbose", nil), "/readyz", served)
		if answer.Code != test.code || !strings.Contains(answer.Body.String(), "[-]lease failed: no replica holds the lease ns/sites") {
			t.Errorf("%s: %d %s", name, answer.Code, answer.Body)
		}
	}
}
