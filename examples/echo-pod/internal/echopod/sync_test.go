package echopod

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

// line is a line of the log: what it says, and of which Pod.
type line struct {
	Msg, Name, Phase string
}

// captured is a log that a test reads.
type captured struct {
	mu     sync.Mutex
	output bytes.Buffer
}

func (c *captured) Write(text []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.output.Write(text)
}

func (c *captured) handler() slog.Handler { return slog.NewJSONHandler(c, nil) }

// lines returns all lines until now.
func (c *captured) lines() []line {
	c.mu.Lock()
	defer c.mu.Unlock()
	var lines []line
	for text := range bytes.Lines(c.output.Bytes()) {
		var read line
		if err := json.Unmarshal(text, &read); err != nil {
			panic(err)
		}
		lines = append(lines, read)
	}
	return lines
}

func newPod(name string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"echo": "yes"}},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: "web"}}},
	}
}

// TestSync compares what Sync and Finalize log. The context has the logger.
func TestSync(t *testing.T) {
	running, deleted, now := newPod("web"), newPod("web"), metav1.Now()
	running.Status.Phase = corev1.PodRunning
	deleted.DeletionTimestamp = &now

	r := new(Reconciler)
	for _, test := range []struct {
		name   string
		call   func(context.Context, *Request) (*Response, error)
		pod    *corev1.Pod
		expect *Response
		line   line
	}{
		{"a Pod is logged", r.Sync, running, &Response{}, line{Msg: "Pod exists", Phase: "Running"}},
		{"a deletion is logged", r.Finalize, deleted,
			&Response{Finalized: true}, line{Msg: "Pod is being deleted"}},
		{"the loss of the label is logged", r.Finalize, running,
			&Response{Finalized: true}, line{Msg: "Pod has lost the label"}},
	} {
		output := new(captured)
		logged := func(ctx context.Context, req *Request) (*Response, error) {
			return test.call(log.IntoContext(ctx, logr.FromSlogHandler(output.handler())), req)
		}
		operatortest.Run(t, logged, operatortest.Case[Request, Response]{
			Name: test.name, Given: Request{Parent: test.pod}, Expect: test.expect,
		})
		if got := output.lines(); !slices.Equal(got, []line{test.line}) {
			t.Errorf("%s: the log is %+v, want %+v", test.name, got, test.line)
		}
	}
}

// start runs the controller against a real API server, and captures its log. Without a cluster the
// test skips: see make test-e2e.
func start(t *testing.T) (*operatortest.Cluster, *captured) {
	t.Helper()
	t.Parallel()
	output := new(captured)
	return operatortest.Start(t, operatortest.Config{
		Controllers: func(mgr operator.Manager) ([]operator.Controller, error) {
			controller, err := New(mgr)
			return []operator.Controller{controller}, err
		},
		Roles:   "../../deploy/zz_generated.rbac.yaml",
		Options: func(o *operator.Options) { o.Logger = slog.New(output.handler()) },
	}), output
}

// says waits until the log has a line.
func says(cluster *operatortest.Cluster, output *captured, expected line) {
	cluster.Eventually(fmt.Sprintf("the log says %+v", expected), func() error {
		if lines := output.lines(); !slices.Contains(lines, expected) {
			return fmt.Errorf("it says %+v", lines)
		}
		return nil
	})
}

func TestPodsAreLogged(t *testing.T) {
	cluster, output := start(t)
	pod, other := newPod("web"), newPod("other")
	other.Labels = nil
	cluster.Create(pod, other)
	says(cluster, output, line{"Pod exists", "web", "Pending"})
	cluster.MakeReady(pod)
	says(cluster, output, line{"Pod exists", "web", "Running"})
	cluster.Converged(pod)
	cluster.Truthful(pod)

	cluster.Delete(pod)
	cluster.Gone(pod)
	says(cluster, output, line{"Pod is being deleted", "web", ""})
	cluster.Delete(other)
	cluster.Gone(other)
	isOther := func(l line) bool { return l.Name == "other" }
	if lines := output.lines(); slices.ContainsFunc(lines, isOther) {
		t.Errorf("a Pod without the label is logged: %+v", lines)
	}
}

func TestAPodThatLosesTheLabelIsLetGo(t *testing.T) {
	cluster, output := start(t)
	pod := newPod("web")
	cluster.Create(pod)
	says(cluster, output, line{"Pod exists", "web", "Pending"})
	cluster.Converged(pod)

	cluster.Stop() // what happens meanwhile is logged later
	cluster.Update(pod, func() { pod.Labels = nil })
	cluster.Restart()
	says(cluster, output, line{"Pod has lost the label", "web", ""})
	cluster.Settled()
	if cluster.Get(pod); len(pod.Finalizers) > 0 {
		t.Errorf("the Pod has the finalizers %v, and needs none any more", pod.Finalizers)
	}
	cluster.Delete(pod)
	cluster.Gone(pod)
}

// The operator is down when somebody deletes a Pod. It is logged nevertheless, since the finalizer
// keeps the Pod until then.
func TestADeletionWhileTheOperatorIsDownIsLogged(t *testing.T) {
	cluster, output := start(t)
	pod := newPod("web")
	cluster.Create(pod)
	says(cluster, output, line{"Pod exists", "web", "Pending"})
	cluster.Converged(pod)
	cluster.Stop()
	cluster.Delete(pod)
	if !cluster.Get(pod) {
		t.Error("the Pod is gone before its deletion was logged")
	}
	cluster.Restart()
	cluster.Gone(pod)
	says(cluster, output, line{"Pod is being deleted", "web", ""})
}
