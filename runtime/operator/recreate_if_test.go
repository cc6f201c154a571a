package operator_test

import (
	"errors"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/opgen-dev/opgen/runtime/operator"
)

// ended reports whether a Pod has ended for good.
func ended(req *customRequest, name string) bool {
	observed, _ := req.Children.Pods.Get(name)
	return observed != nil && observed.Status.Phase == corev1.PodFailed
}

func TestRecreateIf(t *testing.T) {
	c := startCustom(t, customDesire(func(req *customRequest, want *Desired) {
		first, second := pod("first", "web"), pod("second", "web")
		want.Pods.Add(first, operator.RollingRecreate, operator.RecreateIf(ended(req, "first")))
		want.Pods.Add(second, operator.CreateOnly, operator.After(first), operator.RecreateIf(ended(req, "second")))
	}), nil)
	site, first, second := c.site("web"), named(&corev1.Pod{}, "first"), named(&corev1.Pod{}, "second")
	c.MakeReady(first, second)
	c.says(site, allReady)
	c.Settled()

	end := func(pod *corev1.Pod) {
		c.UpdateStatus(pod, func() {
			pod.Status.Phase = corev1.PodFailed
			pod.Status.Conditions = nil
		})
	}
	c.Stop()
	end(first)
	end(second)
	c.Restart()
	c.Gone(first)
	c.Exists(first)
	c.says(site, "Pod first is not ready; Pod second waits for Pod "+c.Namespace+"/first")
	c.Settled()
	failed := second.UID
	if c.Get(second); second.UID != failed {
		t.Error("a child that waits for another was replaced")
	}
	c.MakeReady(first)
	c.Eventually("the second Pod is another", func() error {
		if !c.Get(second) || second.UID == failed {
			return errors.New("it is not")
		}
		return nil
	})
	c.MakeReady(second)
	c.says(site, allReady)
	c.Converged(site)
}
