package catset

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"

	"example.com/catset/api/v1"
)

var noon = time.Date(2030, 1, 1, 12, 0, 0, 0, time.UTC)

// newSet is a CatSet whose Pods run one container, and have a claim each.
func newSet(name string, replicas int32, image string) *v1.CatSet {
	return &v1.CatSet{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: v1.CatSetSpec{
			Replicas:    &replicas,
			ServiceName: "cats",
			Template: v1.CatSetTemplate{
				Metadata: &v1.Metadata{Labels: map[string]string{"app": "cat", nameLabel: "not yours"}},
				Spec:     corev1.PodSpec{Containers: []corev1.Container{{Name: "cat", Image: image}}},
			},
			VolumeClaimTemplates: []v1.CatSetVolumeClaimTemplate{{
				Name: "data",
				Spec: corev1.PersistentVolumeClaimSpec{
					AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
					Resources:   corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: oneGi}},
				},
			}},
		},
	}
}

// observed is a Pod as a reconcile sees it.
func observed(name string, phase corev1.PodPhase, age time.Duration) *corev1.Pod {
	ready := corev1.ConditionFalse
	if phase == corev1.PodRunning {
		ready = corev1.ConditionTrue
	}
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, CreationTimestamp: metav1.NewTime(noon.Add(-age))},
		Status:     corev1.PodStatus{Phase: phase, Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: ready}}},
	}
}

// expected is the answer for a CatSet with these options for each of its Pods, the highest first, and these Pods kept.
func expected(set *v1.CatSet, replicas, ready int32, update operator.UpdateStrategy, kept ...string) *Response {
	want, pods := new(Desired), podsOf(set)
	for i := len(pods) - 1; i >= 0; i-- {
		claim := claimsOf(set, i)[0]
		want.Claims.Add(claim)
		before := []client.Object{claim}
		if i > 0 {
			before = append(before, pods[i-1])
		}
		want.Pods.Add(pods[i], update, operator.After(before...))
	}
	want.Pods.Keep(kept...)
	return &Response{Children: want, Status: counted(replicas, ready)}
}

func counted(replicas, ready int32) *v1.CatSetStatus {
	return &v1.CatSetStatus{Replicas: replicas, ReadyReplicas: ready, Selector: "ctl.example.com/name=tom"}
}

func given(set *v1.CatSet, pods ...*corev1.Pod) Request {
	return Request{Parent: set, Children: Children{Pods: operator.NewSnapshot(pods...)}, Now: noon}
}

func TestSync(t *testing.T) {
	const old = time.Hour
	running := func(name string) *corev1.Pod { return observed(name, corev1.PodRunning, old) }
	one, three := newSet("tom", 1, "cat:1"), newSet("tom", 3, "cat:1")

	failing := func(update ...operator.ChildOption) *Desired {
		want, pods := new(Desired), podsOf(one)
		want.Claims.Add(claimsOf(one, 0)[0])
		want.Pods.Add(pods[0], append(update, operator.RollingRecreate, operator.After(claimsOf(one, 0)[0]))...)
		return want
	}
	operatortest.Run(t, new(Reconciler).Sync,
		operatortest.Case[Request, Response]{
			Name:   "every Pod comes after its claim and the Pod before it, and the highest is the first to roll",
			Given:  given(three),
			Expect: expected(three, 0, 0, operator.RollingRecreate),
		},
		operatortest.Case[Request, Response]{
			Name:   "the highest Pod that is too many goes when all that are wanted are ready, and none rolls meanwhile",
			Given:  given(one, running("tom-0"), running("tom-2"), running("tom-9"), running("tom-10")),
			Expect: expected(one, 4, 4, operator.OnDelete, "tom-2", "tom-9"),
		},
		operatortest.Case[Request, Response]{
			Name:   "no Pod goes while one that is wanted is not ready",
			Given:  given(one, observed("tom-0", corev1.PodPending, old), running("tom-1")),
			Expect: expected(one, 2, 1, operator.RollingRecreate, "tom-1"),
		},
		operatortest.Case[Request, Response]{
			Name:   "no Pod goes while one that is wanted is missing",
			Given:  given(one, running("tom-1")),
			Expect: expected(one, 1, 1, operator.RollingRecreate, "tom-1"),
		},
		operatortest.Case[Request, Response]{
			Name:   "a Pod that failed is replaced",
			Given:  given(one, observed("tom-0", corev1.PodFailed, time.Second)),
			Expect: &Response{Children: failing(operator.RecreateIf(true)), Status: counted(1, 0)},
		},
	)
}

func TestFinalize(t *testing.T) {
	set, want := newSet("tom", 3, "cat:1"), new(Desired)
	want.Pods.Keep("tom-8", "tom-9")
	operatortest.Run(t, new(Reconciler).Finalize,
		operatortest.Case[Request, Response]{
			Name:   "the highest Pod goes, ready or not",
			Given:  given(set, observed("tom-10", corev1.PodRunning, 0), observed("tom-8", corev1.PodPending, 0), observed("tom-9", corev1.PodFailed, 0)),
			Expect: &Response{Children: want, Status: counted(3, 1)},
		},
		operatortest.Case[Request, Response]{
			Name:   "the CatSet goes when no Pod is left",
			Given:  given(set),
			Expect: &Response{Children: new(Desired), Finalized: true},
		},
	)
}

func TestAPodKnowsItselfAndItsData(t *testing.T) {
	set := newSet("tom", 2, "cat:1")
	pod, claim := podsOf(set)[1], claimsOf(set, 1)[0]
	volume := corev1.Volume{Name: "data"}
	volume.PersistentVolumeClaim = &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "data-tom-1"}
	labels := map[string]string{nameLabel: "tom", ordinalLabel: "1"}
	if differences := operatortest.Diff(&corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Name: "data-tom-1", Labels: labels},
		Spec:       set.Spec.VolumeClaimTemplates[0].Spec,
	}, claim); differences != "" {
		t.Errorf("the claim differs:\n%s", differences)
	}
	labels = map[string]string{"app": "cat", nameLabel: "tom", ordinalLabel: "1"}
	if differences := operatortest.Diff(&corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "tom-1", Labels: labels},
		Spec: corev1.PodSpec{
			Hostname: "tom-1", Subdomain: "cats", Volumes: []corev1.Volume{volume},
			Containers: set.Spec.Template.Spec.Containers,
		},
	}, pod); differences != "" {
		t.Errorf("the Pod differs:\n%s", differences)
	}
	if len(set.Spec.Template.Spec.Volumes) > 0 || set.Spec.Template.Metadata.Labels[nameLabel] != "not yours" {
		t.Error("the template has changed")
	}
}
