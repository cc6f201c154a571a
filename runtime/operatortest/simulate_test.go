package operatortest_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/utils/ptr"

	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

// TestSimulationKeepsWhatOthersSet changes a Deployment under the eyes of an autoscaler and a webhook
// that adds a sidecar, and stops setting a field.
func TestSimulationKeepsWhatOthersSet(t *testing.T) {
	desired := &appsv1.Deployment{Spec: appsv1.DeploymentSpec{Paused: true, Template: corev1.PodTemplateSpec{Spec: podSpec()}}}
	sync := func(ctx context.Context, req *partsRequest) (*partsResponse, error) {
		return desireParts(desired)(ctx, req)
	}
	sim := operatortest.Simulate(t, sync, newLedger())
	sim.Step()
	deployment := named(&appsv1.Deployment{})
	sim.MakeReady(deployment)
	sim.Update(deployment, func() {
		deployment.Spec.Replicas = ptr.To[int32](7)
		pod := &deployment.Spec.Template.Spec
		pod.Containers = append(pod.Containers, corev1.Container{Name: "sidecar", Image: "sidecar:1"})
		pod.Containers[0].Image = "drifted:1"
	})
	desired.Spec.Paused = false
	desired.Spec.MinReadySeconds = 5
	sim.Step()
	sim.Get(deployment)
	containers := deployment.Spec.Template.Spec.Containers
	switch {
	case ptr.Deref(deployment.Spec.Replicas, 0) != 7, len(containers) != 2:
		t.Errorf("what others set is gone: %+v", deployment.Spec)
	case deployment.Spec.Paused, deployment.Spec.MinReadySeconds != 5:
		t.Errorf("the change has not arrived: %+v", deployment.Spec)
	case strings.Contains(fmt.Sprint(containers), "drifted"):
		t.Error("the drift is not repaired")
	case deployment.Status.ReadyReplicas != 1 || deployment.Generation != 3:
		t.Errorf("generation %d, status %+v", deployment.Generation, deployment.Status)
	}
	request := sim.Request()
	if health := request.Children.Deployments.Health("web"); health.Message != "is rolling out" {
		t.Errorf("its health is %+v: its status is that of an earlier generation", health)
	}
}

// TestSimulationObeysOptions plays a Job that fails, a quota, and whoever waits for them.
func TestSimulationObeysOptions(t *testing.T) {
	first, second := named(&batchv1.Job{}, "first"), named(&batchv1.Job{}, "second")
	sync := func(_ context.Context, req *partsRequest) (*partsResponse, error) {
		want := new(desiredParts)
		_, hasFailed := req.Children.Jobs.Failed("first")
		want.Jobs.Add(first.DeepCopy(), operator.RecreateIf(hasFailed))
		want.Jobs.Add(second.DeepCopy(), operator.After(first), operator.WhenApplied(func(response *partsResponse) {
			response.Status.Phase = "Second"
		}))
		return &partsResponse{Children: want, Status: &LedgerStatus{Phase: "First"}}, nil
	}
	old := named(&corev1.ConfigMap{}, "old")
	sim := operatortest.Simulate(t, sync, newLedger())
	sim.Create(old)
	phase := func(want string) partsCase {
		return partsCase{ExpectPart: &partsResponse{Status: &LedgerStatus{Phase: want}}}
	}
	sim.Expect(phase("First"))
	if sim.Get(second) || !sim.Get(old) {
		t.Error("the second Job has not waited, or something was pruned meanwhile")
	}
	sim.Get(first)
	uid := first.UID
	sim.MakeFailed(first)
	sim.Expect(phase("First"))
	if sim.Get(first); first.UID == uid || len(first.Status.Conditions) != 0 {
		t.Errorf("the Job that failed was not recreated: %+v", first)
	}
	sim.MakeReady(first)
	sim.Refuse(second, errors.New("exceeded quota"))
	sim.Expect(phase("First"))
	request := sim.Request()
	if err := request.Children.Jobs.Refused("second"); err == nil || err.Error() != "exceeded quota" {
		t.Errorf("the refusal is %v", err)
	}
	sim.Refuse(second, nil)
	sim.Expect(phase("Second"))
	if !sim.Get(second) || sim.Get(old) {
		t.Error("the second Job is missing, or the old ConfigMap is there")
	}
}

// TestSimulationPrunes shows what goes and what stays.
func TestSimulationPrunes(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*partsResponse)
		err    error
		stays  bool
	}{
		"undesired":     {func(*partsResponse) {}, nil, false},
		"kept":          {func(r *partsResponse) { r.Children.ConfigMaps.Keep("old") }, nil, true},
		"a part":        {func(r *partsResponse) { r.KeepAll = true }, nil, true},
		"no children":   {func(r *partsResponse) { r.Children = nil }, nil, true},
		"with an error": {func(*partsResponse) {}, errors.New("half"), true},
	} {
		t.Run(name, func(t *testing.T) {
			sync := func(context.Context, *partsRequest) (*partsResponse, error) {
				response := &partsResponse{Children: new(desiredParts)}
				test.change(response)
				return response, test.err
			}
			sim := operatortest.Simulate(t, sync, newLedger())
			sim.Create(named(&corev1.ConfigMap{}, "old"))
			expected := partsCase{Check: func(testing.TB, *partsResponse) {}}
			if test.err != nil {
				expected.ExpectError = "half"
			}
			sim.Expect(expected)
			if stays := sim.Get(named(&corev1.ConfigMap{}, "old")); stays != test.stays {
				t.Errorf("it stays: %v", stays)
			}
		})
	}
}

// TestSimulationKnowsTheSpecFile compares a simulation that has the controller with one that does not.
func TestSimulationKnowsTheSpecFile(t *testing.T) {
	sync := func(_ context.Context, req *partsRequest) (*partsResponse, error) {
		want, text := new(desiredParts), req.Parent.Spec.Text
		want.ConfigMaps.Add(textMap("web", text))
		for _, name := range []string{"a", "b"} {
			want.Pods.Add(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.PodSpec{Hostname: text}})
		}
		if text == "one" {
			want.Jobs.Add(named(&batchv1.Job{}, "run"))
		}
		return &partsResponse{Children: want}, nil
	}
	for _, test := range []struct {
		name       string
		controller []operator.Controller
		text       string
		rolled     string
		keepsJob   bool
	}{
		{"without", nil, "two", "[two two]", false},
		{"with", []operator.Controller{partsController(sync)}, "one", "[two one]", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			sim := operatortest.Simulate(t, sync, newLedger(), test.controller...)
			sim.Step()
			sim.MakeReady(named(&corev1.Pod{}, "a"), named(&corev1.Pod{}, "b"))
			sim.MakeFailed(named(&batchv1.Job{}, "run"))
			sim.Parent.Spec.Text = "two"
			sim.Step()
			text, a, b := textMap("web", ""), named(&corev1.Pod{}, "a"), named(&corev1.Pod{}, "b")
			sim.Get(text)
			sim.Get(a)
			sim.Get(b)
			if rolled := fmt.Sprint([]string{a.Spec.Hostname, b.Spec.Hostname}); rolled != test.rolled || text.Data["text"] != test.text {
				t.Errorf("the Pods have %s, the ConfigMap %s", rolled, text.Data["text"])
			}
			if keeps := sim.Get(named(&batchv1.Job{}, "run")); keeps != test.keepsJob {
				t.Errorf("the Job that failed stays: %v", keeps)
			}
			request := sim.Request()
			if outdated := request.Children.Pods.Outdated("b"); outdated != (test.rolled == "[two one]") {
				t.Errorf("b is outdated: %v", outdated)
			}
		})
	}
}

// TestSimulationStoresTheParent looks at generation, status, conditions, labels and Finalize.
func TestSimulationStoresTheParent(t *testing.T) {
	sync := func(_ context.Context, req *partsRequest) (*partsResponse, error) {
		response := &partsResponse{Children: new(desiredParts), Status: &LedgerStatus{Phase: req.Parent.Spec.Text}, Conditions: []metav1.Condition{}}
		if req.Parent.Spec.Text == "one" {
			response.Conditions = []metav1.Condition{{Type: "First", Status: metav1.ConditionTrue, Reason: "One"}}
		}
		response.Labels = map[string]string{"text-" + req.Parent.Spec.Text: "yes"}
		return response, nil
	}
	ledger := newLedger()
	ledger.Labels = map[string]string{"team": "shop"}
	ledger.Status.Conditions = []metav1.Condition{{Type: "Other", Status: metav1.ConditionTrue}}
	sim := operatortest.Simulate(t, sync, ledger)
	sim.Step()
	if !meta.IsStatusConditionTrue(ledger.Status.Conditions, "First") || ledger.Status.Phase != "one" || ledger.Status.ObservedGeneration != 1 {
		t.Errorf("after the first step: %+v", ledger.Status)
	}
	ledger.Spec.Text = "two"
	sim.Step()
	if len(ledger.Status.Conditions) != 1 || ledger.Status.Conditions[0].Type != "Other" || ledger.Status.ObservedGeneration != 2 {
		t.Errorf("after the change: %+v", ledger.Status)
	}
	if labels := fmt.Sprint(ledger.Labels); labels != "map[team:shop text-two:yes]" {
		t.Errorf("the labels are %s", labels)
	}
	sim.Finalize = func(context.Context, *partsRequest) (*partsResponse, error) {
		return &partsResponse{Finalized: true}, nil
	}
	sim.Delete(ledger)
	if response := sim.Step(); !response.Finalized {
		t.Errorf("Finalize has not run: %+v", response)
	}
}

// TestSimulationGeneratesOnce rotates a password by its token.
func TestSimulationGeneratesOnce(t *testing.T) {
	sync := func(_ context.Context, req *partsRequest) (*partsResponse, error) {
		want := new(desiredParts)
		secret := named(&corev1.Secret{StringData: map[string]string{"user": "root"}})
		want.Secrets.Add(secret, operator.Generate("password", operator.Random(24), req.Parent.Spec.Text))
		return &partsResponse{Children: want}, nil
	}
	ledger := newLedger()
	sim := operatortest.Simulate(t, sync, ledger)
	var revisions, values []string
	for _, text := range []string{"one", "one", "two"} {
		ledger.Spec.Text = text
		sim.Step()
		request := sim.Request()
		value, ok := request.Children.Secrets.Generated("web", "password")
		if !ok || len(value.Value) != 24 {
			t.Fatalf("generated: %+v, %v", value, ok)
		}
		revisions, values = append(revisions, value.Revision), append(values, value.Value)
	}
	if values[0] != values[1] || values[1] == values[2] || revisions[0] != revisions[1] || revisions[1] == revisions[2] {
		t.Errorf("the values are %v, with revisions %v", values, revisions)
	}
	secret := named(&corev1.Secret{})
	if sim.Get(secret); string(secret.Data["user"]) != "root" || len(secret.StringData) != 0 {
		t.Errorf("the Secret has %v and %v", secret.Data, secret.StringData)
	}
}

// TestSimulationAdvances has Sync ask for a reconcile each 20 minutes.
func TestSimulationAdvances(t *testing.T) {
	var ran []string
	sync := func(_ context.Context, req *partsRequest) (*partsResponse, error) {
		ran = append(ran, req.Now.Format("15:04"))
		want := new(desiredParts)
		want.ConfigMaps.Apply(applycorev1.ConfigMap("web", "shop").WithData(map[string]string{"at": ran[len(ran)-1]}))
		return &partsResponse{Children: want, RequeueAfter: 20 * time.Minute}, nil
	}
	sim := operatortest.Simulate(t, sync, newLedger())
	sim.Step()
	sim.Advance(50 * time.Minute)
	if got := fmt.Sprint(ran); got != "[00:00 00:20 00:40]" || sim.Now().Format("15:04") != "00:50" {
		t.Errorf("Sync ran at %s, and it is %s", got, sim.Now())
	}
	text := textMap("web", "")
	if sim.Get(text); text.Data["at"] != "00:40" {
		t.Errorf("the ConfigMap has %v", text.Data)
	}
}

// TestCheckLooksAtTheResponse has a case without an expected value.
func TestCheckLooksAtTheResponse(t *testing.T) {
	checked := 0
	operatortest.Run(t, desireParts(named(&corev1.Pod{}, "a"), named(&corev1.Pod{}, "b")), partsCase{
		Name:  "two Pods",
		Given: partsRequest{Parent: newLedger()},
		Check: func(t testing.TB, got *partsResponse) {
			if checked++; got.Children.Pods.Len() != 2 {
				t.Errorf("%d Pods", got.Children.Pods.Len())
			}
		},
	})
	if checked != 1 {
		t.Errorf("it was checked %d times", checked)
	}
}
