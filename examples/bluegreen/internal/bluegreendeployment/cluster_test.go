package bluegreendeployment

import (
	"errors"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/opgen-dev/opgen/runtime/kubelet"
	"github.com/opgen-dev/opgen/runtime/operatortest"

	v1 "example.com/bluegreen/api/v1"
)

func TestEachTemplateGoesToTheOtherColor(t *testing.T) {
	s := start(t, testConfig())
	s.serves(blue, "shop:1")
	sets := s.uid(blue) + s.uid(green)
	s.image("shop:2")
	s.serves(green, "shop:2")
	s.image("shop:3")
	s.serves(blue, "shop:3")
	if s.uid(blue)+s.uid(green) != sets {
		t.Error("a ReplicaSet was recreated")
	}

	// What does not concern the template starts no roll.
	s.Update(s.parent, func() { s.parent.Spec.Replicas = ptr.To[int32](3) })
	s.serves(blue, "shop:3")

	s.Delete(s.parent)
	s.Gone(s.parent, replicaSet(blue, pods{}), replicaSet(green, pods{}), serviceFor(s.parent, blue))
	for _, pod := range append(s.podsOf(blue), s.podsOf(green)...) {
		s.Gone(&pod)
	}
}

func TestTheTrafficMovesWhenAllPodsAreAvailable(t *testing.T) {
	config := testConfig()
	config.Kubelet = func(pod *corev1.Pod, now time.Time) {
		if pod.Spec.Containers[0].Image == "shop:1" {
			kubelet.RunPod(pod, now.Add(-time.Hour))
		}
	}
	s := start(t, config, func(parent *v1.BlueGreenDeployment) { parent.Spec.MinReadySeconds = 1800 })
	s.serves(blue, "shop:1")
	moves := s.moves()

	s.image("shop:2")
	s.counts(v1.Counts{Replicas: 2})
	next := s.podsOf(green)
	s.runs(next[0], time.Hour)
	s.runs(next[1], 0) // it is ready, but not for long enough
	s.counts(v1.Counts{Replicas: 2, ReadyReplicas: 2, AvailableReplicas: 1})
	s.Converged(s.parent)
	s.Truthful(s.parent)
	s.hasTraffic(blue)
	if s.moves() != moves {
		t.Error("the traffic has moved too early")
	}

	s.runs(next[1], time.Hour)
	s.serves(green, "shop:2")
	if s.moves() != moves+1 {
		t.Errorf("the traffic has moved %d times", s.moves()-moves)
	}
}

func TestABrokenTemplateGetsNoTraffic(t *testing.T) {
	s := start(t, testConfig())
	s.serves(blue, "shop:1")
	moves := s.moves()
	s.image("shop:broken")
	s.counts(v1.Counts{Replicas: 2})
	s.Converged(s.parent)
	s.Matches(&v1.BlueGreenDeployment{
		ObjectMeta: metav1.ObjectMeta{Name: s.parent.Name},
		Status: v1.BlueGreenDeploymentStatus{Conditions: []metav1.Condition{
			{Type: "Ready", Status: metav1.ConditionFalse, Reason: "Progressing"},
		}},
	})

	// The color that serves still scales.
	s.Update(s.parent, func() { s.parent.Spec.Replicas = ptr.To[int32](3) })
	s.Matches(&v1.BlueGreenDeployment{
		ObjectMeta: metav1.ObjectMeta{Name: s.parent.Name},
		Status: v1.BlueGreenDeploymentStatus{
			ActiveColor: blue, Active: &v1.Counts{Replicas: 3, ReadyReplicas: 3, AvailableReplicas: 3},
		},
	})
	s.Converged(s.parent)
	if s.moves() != moves || s.imageOf(blue) != "shop:1" {
		t.Error("the broken template has got traffic")
	}

	// The next template takes the place of the broken one.
	s.image("shop:2")
	s.serves(green, "shop:2")
}

func TestATemplateIsTakenBack(t *testing.T) {
	s := start(t, testConfig())
	s.serves(blue, "shop:1")
	served, moves := s.podsOf(blue), s.moves()
	s.image("shop:broken")
	s.counts(v1.Counts{Replicas: 2})
	s.image("shop:1")
	s.serves(blue, "shop:1")
	if s.moves() != moves {
		t.Error("the traffic has moved")
	}
	for _, pod := range served {
		if uid := pod.UID; !s.Get(&pod) || pod.UID != uid {
			t.Errorf("the Pod %s is gone", pod.Name)
		}
	}
}

func TestAFirstTemplateThatIsBrokenIsMended(t *testing.T) {
	s := start(t, testConfig(), func(parent *v1.BlueGreenDeployment) {
		parent.Spec.Template.Spec.Containers[0].Image = "shop:broken"
	})
	s.Eventually("the Pods exist", func() error {
		if s.Get(s.parent); s.parent.Status.Active == nil || s.parent.Status.Active.Replicas != 2 {
			return errors.New("they do not")
		}
		return nil
	})
	s.image("shop:1")
	s.serves(green, "shop:1")
}

func TestARollGoesOnAfterARestart(t *testing.T) {
	for _, fault := range []string{
		"patch replicasets 1 after crash",  // the other color has the template
		"patch services 1 before crash",    // its Pods are available
		"patch services 1 after crash",     // the traffic has moved, and the status does not say so
		"patch replicasets 2 before crash", // the status says so
	} {
		t.Run(fault, func(t *testing.T) {
			s := start(t, testConfig())
			s.serves(blue, "shop:1")
			crash, err := operatortest.ParseFault(fault)
			if err != nil {
				t.Fatal(err)
			}
			s.Inject(crash)
			s.image("shop:2")
			s.serves(green, "shop:2")
			if s.Struck(crash) == 0 {
				t.Error("the operator has not crashed")
			}
		})
	}
}

func TestTheStatusDecidesWhereTheTrafficGoes(t *testing.T) {
	s := start(t, testConfig())
	s.serves(blue, "shop:1")
	s.image("shop:2")
	s.serves(green, "shop:2")

	// Somebody edits the Service: the selector is repaired, and the label stays.
	service := serviceFor(s.parent, green)
	s.Update(service, func() {
		service.Labels = map[string]string{"team": "shop"}
		service.Spec.Selector[colorLabel] = string(blue)
	})
	repaired := serviceFor(s.parent, green)
	repaired.Labels = map[string]string{"team": "shop"}
	s.Matches(repaired)
	s.serves(green, "shop:2")

	// The status is lost: the traffic stays where it is.
	moves := s.moves()
	s.Stop()
	s.UpdateStatus(s.parent, func() { s.parent.Status = v1.BlueGreenDeploymentStatus{} })
	s.Restart()
	s.serves(green, "shop:2")
	if s.moves() != moves {
		t.Error("the traffic has moved")
	}
}

func TestTheSelectorCannotChange(t *testing.T) {
	s := start(t, testConfig())
	s.serves(blue, "shop:1")
	s.parent.Spec.Selector.MatchLabels = map[string]string{"app": "other"}
	err := s.Client.Update(t.Context(), s.parent)
	if err == nil || !strings.Contains(err.Error(), "cannot change, since the selector") {
		t.Errorf("the API server says %v", err)
	}
}

// TestExplore changes the children behind the operator's back, changes what Sync desires, and lets
// requests fail. The parents have no Pods: their ReplicaSets take each template at once, so that
// what Sync desires does not depend on where a roll is.
func TestExplore(t *testing.T) {
	named := func(name string) *v1.BlueGreenDeployment {
		parent := newShop("shop:1")
		parent.Name, parent.Spec.Service.Name, parent.Spec.Replicas = name, name, ptr.To[int32](0)
		return parent
	}
	operatortest.Explore(t, testConfig(), operatortest.Life{Parents: operatortest.ParentsOf(named)})
}
