package operatortest_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

// TestSimulationRollsAsSyncSays changes four Pods, of which one has the role of the primary.
func TestSimulationRollsAsSyncSays(t *testing.T) {
	const role = "role"
	for name, test := range map[string]struct {
		maxUnavailable intstr.IntOrString
		options        func(isPrimary bool) []operator.ChildOption
		rolls          []string // the Pods that have the change, after each step
	}{
		"one at a time": {intstr.FromInt32(1), func(bool) []operator.ChildOption { return nil }, []string{"a", "ab", "abc", "abcd"}},
		"two at a time": {intstr.FromInt32(2), func(bool) []operator.ChildOption { return nil }, []string{"ab", "abcd"}},
		"half of them":  {intstr.FromString("50%"), func(bool) []operator.ChildOption { return nil }, []string{"ab", "abcd"}},
		"the primary last": {intstr.FromInt32(1), func(isPrimary bool) []operator.ChildOption {
			return []operator.ChildOption{operator.UpdateLast(isPrimary)}
		}, []string{"b", "bc", "bcd", "abcd"}},
		"the primary waits": {intstr.FromInt32(2), func(isPrimary bool) []operator.ChildOption {
			return []operator.ChildOption{operator.UpdateIf(!isPrimary, "is the primary")}
		}, []string{"bc", "bcd", "bcd"}},
		"one keeps its version": {intstr.FromInt32(2), func(isPrimary bool) []operator.ChildOption {
			if isPrimary {
				return []operator.ChildOption{operator.OnDelete}
			}
			return nil
		}, []string{"bc", "bcd", "bcd"}},
	} {
		t.Run(name, func(t *testing.T) {
			names := []string{"a", "b", "c", "d"}
			sync := func(_ context.Context, req *partsRequest) (*partsResponse, error) {
				want := new(desiredParts)
				for _, name := range names {
					pod := named(&corev1.Pod{}, name)
					pod.Labels, pod.Spec.Hostname = map[string]string{role: req.Parent.Spec.Text}, req.Parent.Spec.Text
					want.Pods.Add(pod, append(test.options(name == "a"), operator.UpdateInPlace(".metadata.labels.role"))...)
				}
				want.Pods.SetMaxUnavailable(test.maxUnavailable)
				return &partsResponse{Children: want}, nil
			}
			sim := operatortest.Simulate(t, sync, newLedger(), partsController(sync))
			sim.Step()
			ready := func() {
				for _, name := range names {
					sim.MakeReady(named(&corev1.Pod{}, name))
				}
			}
			ready()
			sim.Parent.Spec.Text = "two"
			for step, want := range test.rolls {
				sim.Step()
				var changed strings.Builder
				for _, name := range names {
					pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name}}
					sim.Get(pod)
					if pod.Labels[role] != "two" {
						t.Errorf("step %d: the label of %s is %q, though it is applied in place", step+1, name, pod.Labels[role])
					}
					if pod.Spec.Hostname == "two" {
						changed.WriteString(name)
					}
				}
				request := sim.Request()
				if outdated := fmt.Sprint(request.Children.Pods.Outdated("a")); outdated != fmt.Sprint(!strings.Contains(want, "a")) {
					t.Errorf("step %d: a is outdated: %s", step+1, outdated)
				}
				if changed.String() != want {
					t.Errorf("step %d: %s have the change, want %s", step+1, changed.String(), want)
				}
				ready()
			}
		})
	}
}
