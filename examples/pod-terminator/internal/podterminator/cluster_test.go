package podterminator

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"

	chaosv1alpha1 "example.com/pod-terminator/api/v1alpha1"
)

// stage is an operator on a real API server, whose deletions of Pods the test may let fail; without one the test skips.
// See make test-e2e.
type stage struct {
	*operatortest.Cluster
	t     *testing.T
	label map[string]string // of the Pods of this test
	fails atomic.Int32      // how many deletions succeed before all fail; negative: all succeed
}

func start(t *testing.T) *stage {
	t.Parallel()
	s := &stage{t: t}
	s.fails.Store(-1)
	s.Cluster = operatortest.Start(t, operatortest.Config{
		Controllers: func(mgr operator.Manager) ([]operator.Controller, error) {
			reconciler := &Reconciler{pods: flaky{mgr.GetClient(), &s.fails}, live: mgr.GetAPIReader(), shuffle: func(int, func(i, j int)) {}}
			return []operator.Controller{Controller(reconciler)}, nil
		},
		CRDs:    []string{"../../deploy/zz_generated.crd.yaml"},
		Schemes: runtime.SchemeBuilder{chaosv1alpha1.AddToScheme},
		Roles:   "../../deploy/zz_generated.rbac.yaml", // the rights that it is deployed with
		Options: func(o *operator.Options) {
			o.ParentSelector, o.Namespaces = "test="+o.Namespaces[0], nil // each test has a clock of its own
		},
	})
	s.label = map[string]string{"test": s.Namespace}
	return s
}

// flaky is a client that fails once so many Pods are deleted, as if the operator were gone by then.
type flaky struct {
	client.Writer
	left *atomic.Int32
}

func (f flaky) Delete(ctx context.Context, object client.Object, options ...client.DeleteOption) error {
	if f.left.Load() == 0 {
		return errors.New("cut off")
	}
	f.left.Add(-1)
	return f.Writer.Delete(ctx, object, options...)
}

// run makes Pods that run.
func (s *stage) run(namespace string, names ...string) {
	s.t.Helper()
	for _, name := range names {
		pod := &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: s.label},
			Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: "example.com/web"}}},
		}
		s.Create(pod)
		s.MakeReady(pod)
	}
}

// terminator terminates half of the test's Pods each hour, and leaves two.
func (s *stage) terminator() *chaosv1alpha1.PodTerminator {
	return &chaosv1alpha1.PodTerminator{
		ObjectMeta: metav1.ObjectMeta{Name: s.Namespace, Labels: s.label},
		Spec: chaosv1alpha1.PodTerminatorSpec{
			Selector: s.label, PeriodSeconds: 3600, TerminationPercent: 50, MinimumInstances: ptr.To[int32](2),
		},
	}
}

// left waits until these Pods are left of the test's, and a run has terminated so many in all.
func (s *stage) left(parent *chaosv1alpha1.PodTerminator, terminated int64, names ...string) {
	s.t.Helper()
	s.Eventually(fmt.Sprintf("%v are left", names), func() error {
		var pods corev1.PodList
		if err := s.Client.List(s.t.Context(), &pods, client.MatchingLabels(s.label)); err != nil {
			return err
		}
		var found []string
		for _, pod := range pods.Items {
			found = append(found, pod.Name)
		}
		if slices.Sort(found); !slices.Equal(found, names) {
			return fmt.Errorf("%v are", found)
		}
		if s.Get(parent); parent.Status.Terminated != terminated || pending(parent.Status.LastRun) {
			return fmt.Errorf("status: %+v", parent.Status)
		}
		return nil
	})
}

func TestRunsAndRests(t *testing.T) {
	s := start(t)
	elsewhere := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: s.Namespace + "-2"}}
	s.Create(elsewhere)
	s.run("", "a", "c", "e")
	s.run(elsewhere.Name, "b", "d", "f")
	stranger := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "stranger"},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: "example.com/web"}}},
	}
	parent := s.terminator()
	s.Create(stranger, parent)
	s.Reconciled(parent)
	s.Converged(parent)
	s.left(parent, 0, "a", "b", "c", "d", "e", "f")

	s.Advance(time.Hour) // half of six, whatever their namespace, in the order of the snapshot
	s.left(parent, 3, "b", "d", "f")
	s.Converged(parent)

	s.Advance(30 * time.Minute) // in the middle of a period a change starts a new one
	s.Update(parent, func() { parent.Spec.TerminationPercent = 40 })
	s.Reconciled(parent)
	s.Advance(45 * time.Minute)
	s.left(parent, 3, "b", "d", "f")
	s.Advance(15 * time.Minute)
	s.left(parent, 4, "d", "f")

	s.Restart()
	s.Reconciled(parent)
	s.Advance(time.Hour) // two are left, which is the minimum
	s.Eventually("a run chooses nobody", func() error {
		if s.Get(parent); len(parent.Status.LastRun.Pods) > 0 {
			return fmt.Errorf("last run: %+v", parent.Status.LastRun)
		}
		return nil
	})
	s.left(parent, 4, "d", "f")
	s.Converged(parent)

	s.run("", "g", "h", "i")
	s.Delete(parent)
	s.Gone(parent)
	s.Advance(10 * time.Hour)
	if !s.Get(stranger) {
		t.Error("a Pod with other labels is gone")
	}
	s.left(parent, 4, "d", "f", "g", "h", "i") // as it was read last
}

// A run is cut off after its first Pod. However often it is tried again, and although the operator restarts and the
// Pod has a successor of the same name by then, it deletes the Pods that it chose, and no others.
func TestCrash(t *testing.T) {
	s := start(t)
	s.run("", "a", "b", "c", "d", "e", "f", "g", "h")
	parent := s.terminator()
	s.Create(parent)
	s.Reconciled(parent)

	s.fails.Store(1)
	s.Advance(time.Hour)
	s.Eventually("the run is cut off", func() error {
		if len(s.Errors(parent)) == 0 {
			return errors.New("it is not")
		}
		return nil
	})
	s.Matches(&chaosv1alpha1.PodTerminator{
		ObjectMeta: metav1.ObjectMeta{Name: parent.Name},
		Status: chaosv1alpha1.PodTerminatorStatus{
			LastRun:    &chaosv1alpha1.Run{Matching: 8},
			Conditions: []metav1.Condition{{Type: "Ready", Status: metav1.ConditionFalse, Reason: "SyncFailed"}},
		},
	})
	s.Stop()
	s.fails.Store(-1)
	s.run("", "a") // as a ReplicaSet would
	s.Restart()
	s.left(parent, 4, "a", "e", "f", "g", "h")
	s.Converged(parent)
}

func TestDryRun(t *testing.T) {
	s := start(t)
	s.run("", "a", "b", "c", "d")
	parent := s.terminator()
	parent.Spec.DryRun = true
	s.Create(parent)
	s.Reconciled(parent)
	s.Advance(time.Hour)
	s.Eventually("the status says whom it would have been", func() error {
		if s.Get(parent); parent.Status.LastRun == nil || !parent.Status.LastRun.Done || len(parent.Status.LastRun.Pods) != 2 {
			return fmt.Errorf("last run: %+v", parent.Status.LastRun)
		}
		return nil
	})
	s.left(parent, 0, "a", "b", "c", "d")
	s.Converged(parent)
}

// What makes no sense never reaches the operator.
func TestWrongInput(t *testing.T) {
	s := start(t)
	for name, spoil := range map[string]func(*chaosv1alpha1.PodTerminatorSpec){
		"no selector":      func(spec *chaosv1alpha1.PodTerminatorSpec) { spec.Selector = map[string]string{} },
		"no period":        func(spec *chaosv1alpha1.PodTerminatorSpec) { spec.PeriodSeconds = -1 },
		"too many percent": func(spec *chaosv1alpha1.PodTerminatorSpec) { spec.TerminationPercent = 101 },
		"a minimum of -1":  func(spec *chaosv1alpha1.PodTerminatorSpec) { spec.MinimumInstances = ptr.To[int32](-1) },
	} {
		parent := s.terminator()
		spoil(&parent.Spec)
		if err := s.Client.Create(t.Context(), parent); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
