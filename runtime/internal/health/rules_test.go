package health

import (
	"errors"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func TestRules(t *testing.T) {
	ready := Health{State: Ready}
	yes := Rules{ReadyWhen: func(client.Object) (bool, error) { return true, nil }}
	no := Rules{ReadyWhen: func(client.Object) (bool, error) { return false, nil }}
	broken := Rules{ReadyWhen: func(client.Object) (bool, error) { return false, errors.New("no such key: phase") }}
	statusless := Rules{LacksStatus: true}
	leaving := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{DeletionTimestamp: &metav1.Time{Time: time.Unix(1, 0)}}}
	failedJob := &batchv1.Job{Status: batchv1.JobStatus{Conditions: []batchv1.JobCondition{{Type: batchv1.JobFailed, Status: "True", Message: "crashes"}}}}
	lagging := custom("Ready", "True")
	lagging.SetGeneration(3)
	_ = unstructured.SetNestedField(lagging.Object, int64(2), "status", "observedGeneration")
	for name, test := range map[string]struct {
		rules  Rules
		object client.Object
		want   Health
	}{
		"the author's rule in place of the kind's": {yes, &corev1.Pod{}, ready},
		"the author's rule does not hold":          {no, &corev1.ConfigMap{}, inProgress("is not ready")},
		"the author's rule cannot be evaluated":    {broken, &corev1.ConfigMap{}, inProgress("is not ready: no such key: phase")},
		"one that goes":                            {yes, leaving, inProgress("is being deleted")},
		"a failure beside a rule that holds":       {yes, failedJob, ready},
		"a failure beside one that does not":       {no, failedJob, failed("crashes", time.Time{})},
		"a failure beside one that is broken":      {broken, failedJob, failed("crashes", time.Time{})},

		"without a status":                        {statusless, custom(), ready},
		"without a status, and ready":             {statusless, custom("Ready", "True"), ready},
		"without a status, but not ready":         {statusless, custom("Ready", "False"), inProgress("because")},
		"without a status, but reconciling":       {statusless, custom("Reconciling", "True"), inProgress("because")},
		"without a status, but stalled":           {statusless, custom("Stalled", "True"), failed("because", time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC))},
		"without a status, of a later generation": {statusless, lagging, ready},
		"with a status, of a later generation":    {Rules{}, lagging, inProgress("has a change that its controller has not seen")},
		"without a status, but one that goes":     {statusless, leaving, inProgress("is being deleted")},
		"the author's rule beside it":             {Rules{ReadyWhen: no.ReadyWhen, LacksStatus: true}, custom(), inProgress("is not ready")},
		"a kind of Kubernetes":                    {statusless, &corev1.Pod{}, inProgress("is not ready")},
	} {
		t.Run(name, func(t *testing.T) {
			if got := test.rules.Of(test.object); got != test.want {
				t.Errorf("got %+v, want %+v", got, test.want)
			}
		})
	}
}

func TestUnless(t *testing.T) {
	for name, test := range map[string]struct {
		given Health
		why   string
		want  Health
	}{
		"ready":                        {Health{State: Ready}, "", Health{State: Ready}},
		"ready, but not for Sync":      {Health{State: Ready}, "lags", inProgress("lags")},
		"in progress by itself":        {inProgress("is rolling out"), "lags", inProgress("is rolling out")},
		"failed by itself":             {failed("crashes", time.Time{}), "lags", failed("crashes", time.Time{})},
		"in progress, and Sync agrees": {inProgress("is rolling out"), "", inProgress("is rolling out")},
	} {
		if got := test.given.Unless(test.why); got != test.want {
			t.Errorf("%s: got %+v, want %+v", name, got, test.want)
		}
	}
}

func TestLacksStatus(t *testing.T) {
	served := &metav1.APIResourceList{APIResources: []metav1.APIResource{
		{Name: "gadgets", Kind: "Gadget"}, {Name: "gadgets/scale", Kind: "Scale"},
		{Name: "widgets/status", Kind: "Widget"}, {Name: "widgets", Kind: "Widget"},
		{Name: "parts/scale", Kind: "Part"},
	}}
	for kind, want := range map[string]bool{"Gadget": true, "Widget": false, "Part": false, "Other": false} {
		if got := LacksStatus(served, kind); got != want {
			t.Errorf("%s: got %v, want %v", kind, got, want)
		}
	}
}
