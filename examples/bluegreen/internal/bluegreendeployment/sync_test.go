package bluegreendeployment

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"

	v1 "example.com/bluegreen/api/v1"
)

func newShop(image string) *v1.BlueGreenDeployment {
	labels := map[string]string{"app": "shop"}
	return &v1.BlueGreenDeployment{
		ObjectMeta: metav1.ObjectMeta{Name: "shop"},
		Spec: v1.BlueGreenDeploymentSpec{
			Replicas: ptr.To[int32](2),
			Selector: metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "shop", Image: image}}},
			},
			Service: v1.BlueGreenDeploymentService{
				Name: "shop",
				Spec: corev1.ServiceSpec{Selector: labels, Ports: []corev1.ServicePort{{Port: 80}}},
			},
		},
	}
}

// pods are those of a ReplicaSet: their image, how many are desired, exist and are available.
type pods struct {
	image                        string
	desired, existing, available int32
}

// of returns desired Pods.
func of(image string, desired int32) pods { return pods{image: image, desired: desired} }

// replicaSet returns the ReplicaSet of a color.
func replicaSet(color v1.Color, p pods) *appsv1.ReplicaSet {
	set, _ := replicaSetFor(&Request{Parent: newShop(p.image)}, color)
	set.Spec.Replicas = &p.desired
	return set
}

// observed returns the ReplicaSet of a color with its status.
func observed(color v1.Color, p pods) *appsv1.ReplicaSet {
	set := replicaSet(color, p)
	set.Status.Replicas = p.existing
	set.Status.ReadyReplicas, set.Status.AvailableReplicas = p.available, p.available
	return set
}

func counts(p pods) *v1.Counts {
	return &v1.Counts{
		Replicas: p.existing, ReadyReplicas: p.available, AvailableReplicas: p.available,
	}
}

const blue, green = v1.ColorBlue, v1.ColorGreen

// Sync is a function of its request, so its tests need no cluster.
func TestSync(t *testing.T) {
	for _, test := range []struct {
		name                      string
		image                     string
		active                    v1.Color
		blue, green               pods // as observed
		desiredBlue, desiredGreen pods
		traffic                   v1.Color
	}{
		{"a new template goes to the other color", "2", blue,
			pods{"1", 2, 2, 2}, pods{"1", 0, 0, 0}, of("1", 2), of("2", 2), blue},
		{"the traffic waits for all Pods", "2", blue,
			pods{"1", 2, 2, 2}, pods{"2", 2, 2, 1}, of("1", 2), of("2", 2), blue},
		{"the traffic moves", "2", blue,
			pods{"1", 2, 2, 2}, pods{"2", 2, 2, 2}, of("1", 2), of("2", 2), green},
		{"the old color is scaled down", "2", green,
			pods{"1", 2, 2, 2}, pods{"2", 2, 2, 2}, of("1", 0), of("2", 2), green},
		{"it keeps its template while it has Pods", "2", green,
			pods{"1", 0, 1, 1}, pods{"2", 2, 2, 2}, of("1", 0), of("2", 2), green},
		{"and gets the new one when it has none", "2", green,
			pods{"1", 0, 0, 0}, pods{"2", 2, 2, 2}, of("2", 0), of("2", 2), green},
		{"the template is taken back", "1", blue,
			pods{"1", 2, 2, 2}, pods{"2", 2, 2, 1}, of("1", 2), of("2", 0), blue},
		{"another template comes: the Pods of the one before go first", "3", blue,
			pods{"1", 2, 2, 2}, pods{"2", 2, 2, 2}, of("1", 2), of("2", 0), blue},
		{"and then the other color gets it", "3", blue,
			pods{"1", 2, 2, 2}, pods{"2", 0, 0, 0}, of("1", 2), of("3", 2), blue},
		{"what is left of an earlier roll gets no traffic", "2", blue,
			pods{"1", 2, 2, 2}, pods{"2", 0, 1, 1}, of("1", 2), of("2", 2), blue},
	} {
		parent := newShop(test.image)
		parent.Status.ActiveColor = test.active
		status := func(active v1.Color) *v1.BlueGreenDeploymentStatus {
			status := &v1.BlueGreenDeploymentStatus{
				ActiveColor: active, Active: counts(test.blue), Inactive: counts(test.green),
			}
			if active == green {
				status.Active, status.Inactive = status.Inactive, status.Active
			}
			return status
		}
		serving, next := replicaSet(blue, test.desiredBlue), replicaSet(green, test.desiredGreen)
		isCurrent := test.desiredBlue.image == test.image
		if test.active == green {
			serving, next, isCurrent = next, serving, test.desiredGreen.image == test.image
		}
		want := new(Desired)
		want.ReplicaSets.Add(serving, operator.ReadyIf(isCurrent, "has an earlier template"))
		want.ReplicaSets.Add(next)
		want.Services.Add(serviceFor(parent, test.traffic))
		given := Request{Parent: parent, Children: Children{
			ReplicaSets: operator.NewSnapshot(observed(blue, test.blue), observed(green, test.green)),
			Services:    operator.NewSnapshot(serviceFor(parent, test.active)),
		}}
		operatortest.Run(t, new(Reconciler).Sync,
			operatortest.Case[Request, Response]{
				Name:   test.name,
				Given:  given,
				Expect: &Response{Children: want, Status: status(test.traffic)},
			},
			operatortest.Case[Request, Response]{
				Name:        test.name + ", but the Service is refused",
				Given:       given,
				NoneApplied: true,
				Expect:      &Response{Children: want, Status: status(test.active)},
			},
		)
	}
}

func TestActiveColor(t *testing.T) {
	for _, test := range []struct {
		name            string
		status, service v1.Color
		expected        v1.Color
	}{
		{"a new one starts with blue", "", "", blue},
		{"an edit of the Service does not move the traffic", blue, green, blue},
		{"without a status, the Service decides", "", green, green},
		{"unless its selector makes no sense", "", "red", blue},
	} {
		parent := newShop("1")
		parent.Status.ActiveColor = test.status
		request := &Request{Parent: parent}
		if test.service != "" {
			request.Children.Services = operator.NewSnapshot(serviceFor(parent, test.service))
		}
		if got := activeColor(request); got != test.expected {
			t.Errorf("%s: it is %s", test.name, got)
		}
	}
}

func TestReplicaSetFor(t *testing.T) {
	stale := observed(green, of("1", 0))
	stale.Generation = 2
	full := operator.NewSnapshot(observed(green, pods{"1", 2, 2, 2}))
	changed := operator.NewSnapshot(observed(green, pods{"3", 2, 2, 2})).
		WithDesired(replicaSet(green, of("1", 2)))
	for _, test := range []struct {
		name      string
		spec      string
		observed  operator.Snapshot[*appsv1.ReplicaSet]
		image     string
		isCurrent bool
	}{
		{"it does not exist", "2", operator.NewSnapshot[*appsv1.ReplicaSet](), "2", true},
		{"it has no Pods", "2", operator.NewSnapshot(observed(green, of("1", 0))), "2", true},
		{"its status is not of its latest spec", "2", operator.NewSnapshot(stale), "1", false},
		{"it has Pods", "2", full, "1", false},
		{"it has Pods of the template of the spec", "1", full, "1", true},
		{"somebody has changed it", "1", changed, "1", true},
		{"nobody knows what it was made from", "2", full.WithDesired(), "1", false},
	} {
		request := &Request{Parent: newShop(test.spec), Children: Children{ReplicaSets: test.observed}}
		set, isCurrent := replicaSetFor(request, green)
		image := set.Spec.Template.Spec.Containers[0].Image
		if image != test.image || isCurrent != test.isCurrent {
			t.Errorf("%s: the image is %s, that of the spec: %v", test.name, image, isCurrent)
		}
	}
}
