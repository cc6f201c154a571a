package podlogger

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/opgen-dev/opgen/runtime/operatortest"
)

// lines is a log that a test reads while the operator writes it.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(line)
}

// has reports whether a line has all these parts.
func (l *lines) has(parts ...string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for line := range strings.Lines(l.text.String()) {
		missing := false
		for _, part := range parts {
			missing = missing || !strings.Contains(line, part)
		}
		if !missing {
			return true
		}
	}
	return false
}

func (l *lines) logger() *slog.Logger { return slog.New(slog.NewTextHandler(l, nil)) }

func noWork(context.Context, client.Object) error { return nil }

// Sync is a function of its request, so its tests need no cluster.
func TestSync(t *testing.T) {
	pod := &corev1.Pod{Status: corev1.PodStatus{Phase: corev1.PodRunning}}
	deployment := &appsv1.Deployment{Status: appsv1.DeploymentStatus{ReadyReplicas: 2}}
	set := &appsv1.StatefulSet{Status: appsv1.StatefulSetStatus{ReadyReplicas: 3}}
	for line, parent := range map[string]client.Object{
		`msg="saw a Pod" phase=Running`:   pod,
		`msg="saw a Deployment" ready=2`:  deployment,
		`msg="saw a StatefulSet" ready=3`: set,
	} {
		var logged lines
		logger := logr.FromSlogHandler(logged.logger().Handler())
		reconciler := &Reconciler{work: noWork}
		operatortest.Run(t, func(ctx context.Context, req *Request) (*Response, error) {
			return reconciler.Sync(log.IntoContext(ctx, logger), req)
		}, operatortest.Case[Request, Response]{
			Name:   line,
			Given:  Request{Parent: parent},
			Expect: new(Response),
		})
		if !logged.has(line) {
			t.Errorf("%q is not logged, but:\n%s", line, logged.text.String())
		}
	}
	failing := &Reconciler{work: func(context.Context, client.Object) error {
		return errors.New("no luck")
	}}
	operatortest.Run(t, failing.Sync, operatortest.Case[Request, Response]{
		Name:        "the work fails",
		Given:       Request{Parent: pod},
		ExpectError: "no luck",
	})
}

func TestWaitEndsWithTheContext(t *testing.T) {
	if err := wait(t.Context(), 0); err != nil {
		t.Error(err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if err := wait(ended, time.Hour); !errors.Is(err, context.Canceled) {
		t.Errorf("it returned %v", err)
	}
}

func TestNewReadsTheDurationOfWork(t *testing.T) {
	for value, isValid := range map[string]bool{"": true, "2s": true, "soon": false} {
		t.Setenv(workVariable, value)
		if _, err := New(nil); (err == nil) != isValid {
			t.Errorf("%s=%q: %v", workVariable, value, err)
		}
	}
}
