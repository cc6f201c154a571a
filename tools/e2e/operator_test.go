package e2e

import (
	"fmt"
	"strings"
	"testing"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// namespace is that of the operator.
func (p *project) namespace() string { return p.name + "-system" }

// operatorPods are the labels of the operator's Pods.
func (p *project) operatorPods() client.MatchingLabels {
	return client.MatchingLabels{"app.kubernetes.io/name": p.name, "app.kubernetes.io/component": "controller-manager"}
}

// leader returns the name of the Pod that leads.
func (p *project) leader(t *testing.T) string {
	t.Helper()
	var pod string
	eventually(t, "a Pod of the operator leads", func() error {
		lease := new(coordinationv1.Lease)
		if err := p.api.Get(t.Context(), client.ObjectKey{Namespace: p.namespace(), Name: p.name}, lease); err != nil {
			return err
		}
		pod, _, _ = strings.Cut(ptr.Deref(lease.Spec.HolderIdentity, ""), "_")
		pods, err := p.podsIn(t.Context(), p.namespace(), p.operatorPods())
		if err != nil {
			return err
		}
		if _, lives := pods[pod]; !lives {
			return fmt.Errorf("the lease is held by %q, which does not exist", pod)
		}
		return nil
	})
	return pod
}

// kill ends the operator's leading Pod at once, as a node does that is lost.
func (p *project) kill(t *testing.T) {
	t.Helper()
	p.endLeader(t, client.GracePeriodSeconds(0))
}

// handOver ends the operator's leading Pod in order, so that it gives the lease away.
func (p *project) handOver(t *testing.T) {
	t.Helper()
	p.endLeader(t)
}

func (p *project) endLeader(t *testing.T, options ...client.DeleteOption) {
	t.Helper()
	pod := new(corev1.Pod)
	pod.Namespace, pod.Name = p.namespace(), p.leader(t)
	if err := p.api.Delete(t.Context(), pod, options...); err != nil {
		t.Fatal(err)
	}
	t.Logf("ended the leader %s", pod.Name)
}

// reportPods logs how long the operator's Pods took to be ready, and fails if one was restarted.
func (p *project) reportPods(t *testing.T) {
	t.Helper()
	pods, err := p.podsIn(t.Context(), p.namespace(), p.operatorPods())
	if err != nil {
		t.Fatal(err)
	}
	for name, pod := range pods {
		for _, status := range pod.Status.ContainerStatuses {
			if status.RestartCount > 0 {
				t.Errorf("Pod %s: container %s was restarted %d times", name, status.Name, status.RestartCount)
			}
		}
		times := map[corev1.PodConditionType]corev1.PodCondition{}
		for _, condition := range pod.Status.Conditions {
			times[condition.Type] = condition
		}
		t.Logf("Pod %s was ready %s after it was scheduled", name,
			times[corev1.PodReady].LastTransitionTime.Sub(times[corev1.PodScheduled].LastTransitionTime.Time))
	}
}
