package bluegreendeployment

import (
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/kubelet"
	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"

	v1 "example.com/bluegreen/api/v1"
)

// testConfig runs the operator with a kubelet that cannot pull the image shop:broken.
func testConfig() operatortest.Config {
	return operatortest.Config{
		Controllers: func(mgr operator.Manager) ([]operator.Controller, error) {
			controller, err := New(mgr)
			return []operator.Controller{controller}, err
		},
		CRDs:    []string{"../../deploy/zz_generated.crd.yaml"},
		Roles:   "../../deploy/zz_generated.rbac.yaml",
		Schemes: runtime.SchemeBuilder{v1.AddToScheme},
		Kubelet: kubelet.WithoutImages("shop:broken"),
	}
}

// shop is a BlueGreenDeployment on a real API server, without which its test skips: see make
// test-e2e. The ReplicaSet controller of the cluster creates its Pods.
type shop struct {
	*operatortest.Cluster
	t      *testing.T
	parent *v1.BlueGreenDeployment
}

// start creates a BlueGreenDeployment with the image shop:1.
func start(t *testing.T, config operatortest.Config, change ...func(*v1.BlueGreenDeployment)) shop {
	t.Helper()
	t.Parallel()
	s := shop{Cluster: operatortest.Start(t, config), t: t, parent: newShop("shop:1")}
	for _, change := range change {
		change(s.parent)
	}
	s.Create(s.parent)
	return s
}

func (s shop) image(image string) {
	s.t.Helper()
	s.Update(s.parent, func() { s.parent.Spec.Template.Spec.Containers[0].Image = image })
}

// serves waits until a color has all traffic and all Pods, and requires that nothing is left to do.
func (s shop) serves(color v1.Color, image string) {
	s.t.Helper()
	s.Eventually(fmt.Sprintf("%s serves %s", color, image), func() error {
		s.Get(s.parent)
		status := s.parent.Status
		ready := meta.FindStatusCondition(status.Conditions, "Ready")
		if status.ActiveColor != color || ready == nil || ready.Reason != "Ready" ||
			ready.ObservedGeneration != s.parent.Generation ||
			status.Active.AvailableReplicas != *s.parent.Spec.Replicas || status.Inactive.Replicas != 0 {
			return fmt.Errorf("the status is %+v, with %+v and %+v", status, status.Active, status.Inactive)
		}
		return nil
	})
	s.Converged(s.parent)
	s.Truthful(s.parent)
	s.hasTraffic(color)
	if got := s.imageOf(color); got != image {
		s.t.Errorf("%s has %s", color, got)
	}
}

// hasTraffic requires that the Service selects a color.
func (s shop) hasTraffic(color v1.Color) {
	s.t.Helper()
	service := serviceFor(s.parent, color)
	s.Exists(service)
	if got := service.Spec.Selector[colorLabel]; got != string(color) {
		s.t.Errorf("the traffic goes to %s", got)
	}
}

func (s shop) imageOf(color v1.Color) string {
	s.t.Helper()
	set := replicaSet(color, pods{})
	s.Exists(set)
	return set.Spec.Template.Spec.Containers[0].Image
}

// counts waits until the status has these numbers for the color without traffic.
func (s shop) counts(expected v1.Counts) {
	s.t.Helper()
	s.Eventually(fmt.Sprintf("the inactive color has %+v", expected), func() error {
		if s.Get(s.parent); s.parent.Status.Inactive == nil || *s.parent.Status.Inactive != expected {
			return fmt.Errorf("it has %+v", s.parent.Status.Inactive)
		}
		return nil
	})
}

// podsOf returns the Pods of a color.
func (s shop) podsOf(color v1.Color) []corev1.Pod {
	s.t.Helper()
	var list corev1.PodList
	ofColor := client.MatchingLabels{colorLabel: string(color)}
	err := s.Client.List(s.t.Context(), &list, client.InNamespace(s.Namespace), ofColor)
	if err != nil {
		s.t.Fatal(err)
	}
	return list.Items
}

// runs has a Pod be ready since some time.
func (s shop) runs(pod corev1.Pod, since time.Duration) {
	s.t.Helper()
	s.UpdateStatus(&pod, func() { kubelet.RunPod(&pod, time.Now().Add(-since)) })
}

// moves returns how often the operator has written the Service.
func (s shop) moves() (count int) {
	for _, request := range s.Writes() {
		if request.Resource == "services" {
			count++
		}
	}
	return count
}

// uid returns which ReplicaSet a color has.
func (s shop) uid(color v1.Color) string {
	s.t.Helper()
	set := replicaSet(color, pods{})
	s.Exists(set)
	return string(set.UID)
}
