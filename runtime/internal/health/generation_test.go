package health

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/cel"
)

// said is a condition as a controller writes it; of no generation with 0.
func said(kind, state string, generation int64) any {
	condition := map[string]any{"type": kind, "status": state, "message": "because", "lastTransitionTime": "2026-05-01T12:00:00Z"}
	if generation > 0 {
		condition["observedGeneration"] = generation
	}
	return condition
}

// second returns a custom resource of generation 2 with this status.
func second(status map[string]any) *unstructured.Unstructured {
	object := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "example.com/v1", "kind": "Ticket", "status": status}}
	object.SetGeneration(2)
	return object
}

func withConditions(conditions ...any) map[string]any {
	return map[string]any{"conditions": conditions}
}

// observing adds status.observedGeneration.
func observing(generation int64, status map[string]any) map[string]any {
	status["observedGeneration"] = generation
	return status
}

func TestConditionsOfAnEarlierGeneration(t *testing.T) {
	ready, unseen := Health{State: Ready}, inProgress(unseenChange)
	for name, test := range map[string]struct {
		status map[string]any
		want   Health
	}{
		"Ready of the generation before":              {withConditions(said("Ready", "True", 1)), unseen},
		"Ready of this generation":                    {withConditions(said("Ready", "True", 2)), ready},
		"Ready of no generation":                      {withConditions(said("Ready", "True", 0)), ready},
		"not Ready, of the generation before":         {withConditions(said("Ready", "False", 1)), unseen},
		"Ready unknown, of the generation before":     {withConditions(said("Ready", "Unknown", 1)), unseen},
		"Stalled in the generation before":            {withConditions(said("Stalled", "True", 1), said("Ready", "False", 0)), unseen},
		"not Stalled in the generation before":        {withConditions(said("Stalled", "False", 1), said("Ready", "True", 2)), ready},
		"Reconciling since the generation before":     {withConditions(said("Reconciling", "True", 1), said("Ready", "True", 2)), inProgress("because")},
		"another condition of the generation before":  {withConditions(said("Issuing", "False", 1), said("Ready", "True", 2)), ready},
		"the status has seen it":                      {observing(2, withConditions(said("Ready", "True", 1))), ready},
		"the status has not, and the condition has":   {observing(1, withConditions(said("Ready", "True", 2))), unseen},
		"an observedGeneration that is no number":     {withConditions(map[string]any{"type": "Ready", "status": "True", "observedGeneration": "1"}), ready},
		"a definition that was established before":    {withConditions(said("Established", "True", 1)), ready},
		"a status without conditions":                 {map[string]any{}, inProgress("has no condition Ready=True")},
		"a generation that is later than the present": {withConditions(said("Ready", "True", 7)), ready},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Of(second(test.status)); got != test.want {
				t.Errorf("got %+v, want %+v", got, test.want)
			}
			lacksStatus := Rules{LacksStatus: true}.Of(second(test.status))
			if lacksStatus == unseen {
				t.Error("a kind without status subresource has a generation for each status")
			}
		})
	}
}

// What a rule reads counts, wherever in the status it lies, and nothing else does.
func TestRulesOverAnEarlierGeneration(t *testing.T) {
	route := func(kind, state string, generation int64) map[string]any {
		return map[string]any{"parents": []any{map[string]any{"parentRef": map[string]any{"name": "web"}, "conditions": []any{said(kind, state, generation)}}}}
	}
	gateway := func(top, listener int64) map[string]any {
		status := withConditions(said("Programmed", "True", top))
		status["listeners"] = []any{map[string]any{"name": "http", "conditions": []any{said("Accepted", "True", listener)}}}
		return status
	}
	const (
		isReady    = `self.status.conditions.exists(c, c.type == 'Ready' && c.status == 'True')`
		notBroken  = `!self.status.conditions.exists(c, c.type == 'Degraded' && c.status == 'True')`
		isAccepted = `self.status.parents.all(p, p.conditions.exists(c, c.type == 'Accepted' && c.status == 'True'))`
		programmed = `self.status.conditions.exists(c, c.type == 'Programmed' && c.status == 'True')`
		listening  = `self.status.listeners.all(l, l.conditions.exists(c, c.type == 'Accepted' && c.status == 'True'))`
		runs       = `self.status.phase == 'Running'`
	)
	for name, test := range map[string]struct {
		rule    string
		status  map[string]any
		isReady bool
	}{
		"a condition of the generation before":                 {isReady, withConditions(said("Ready", "True", 1)), false},
		"a condition of this generation":                       {isReady, withConditions(said("Ready", "True", 2)), true},
		"a condition of no generation":                         {isReady, withConditions(said("Ready", "True", 0)), true},
		"a bad sign that was absent in the generation before":  {notBroken, withConditions(said("Degraded", "False", 1)), false},
		"a bad sign that is absent now":                        {notBroken, withConditions(said("Degraded", "False", 2)), true},
		"a condition beside it, of the generation before":      {isReady, withConditions(said("Ready", "True", 2), said("Degraded", "False", 1)), true},
		"a route that was accepted in the generation before":   {isAccepted, route("Accepted", "True", 1), false},
		"a route that is accepted":                             {isAccepted, route("Accepted", "True", 2), true},
		"a gateway that was programmed before":                 {programmed, gateway(1, 2), false},
		"a gateway whose listeners were accepted before":       {listening, gateway(2, 1), false},
		"listeners of before, which the rule does not ask for": {programmed, gateway(2, 1), true},
		"a status of the generation before":                    {runs, observing(1, map[string]any{"phase": "Running"}), false},
		"a status of this generation":                          {runs, observing(2, map[string]any{"phase": "Running"}), true},
		"a status of no generation":                            {runs, map[string]any{"phase": "Running"}, true},
		"a rule that does not ask for the status":              {`true`, observing(1, map[string]any{}), true},
		"a rule that asks for the spec":                        {`!has(self.spec)`, observing(1, map[string]any{}), true},
		"a condition that the status vouches for":              {isReady, observing(2, withConditions(said("Ready", "True", 1))), true},
		"a route that no status of its own vouches for":        {isAccepted, observing(2, route("Accepted", "True", 1)), false},
	} {
		t.Run(name, func(t *testing.T) {
			object := second(test.status)
			before := object.DeepCopy()
			want := Health{State: Ready}
			if !test.isReady {
				want = inProgress(unseenChange)
			}
			if got := (Rules{ReadyWhen: cel.Rule(test.rule)}).Of(object); got != want {
				t.Errorf("got %+v, want %+v", got, want)
			}
			if got := (Rules{ReadyWhen: cel.Rule(test.rule), LacksStatus: true}).Of(object); got.State != Ready {
				t.Errorf("without a status subresource: %+v", got)
			}
			if !equalObjects(object, before) {
				t.Error("the object was changed")
			}
		})
	}
}

func equalObjects(a, b *unstructured.Unstructured) bool {
	x, _ := a.MarshalJSON()
	y, _ := b.MarshalJSON()
	return string(x) == string(y)
}

// A rule gets an object of the type of the kind.
func TestRuleOverATypedObjectOfAnEarlierGeneration(t *testing.T) {
	rule := func(object client.Object) (bool, error) {
		return object.(*corev1.Service).Status.Conditions[0].Status == metav1.ConditionTrue, nil
	}
	service := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Generation: 2}}
	service.Status.Conditions = []metav1.Condition{{Type: "LoadBalanced", Status: "True", ObservedGeneration: 1}}
	if got := (Rules{ReadyWhen: rule}).Of(service); got != inProgress(unseenChange) {
		t.Errorf("got %+v", got)
	}
	service.Status.Conditions[0].ObservedGeneration = 2
	if got := (Rules{ReadyWhen: rule}).Of(service); got.State != Ready {
		t.Errorf("got %+v", got)
	}
}

func TestPodsOfAnEarlierGeneration(t *testing.T) {
	for name, test := range map[string]struct {
		ofStatus, ofCondition int64
		phase                 corev1.PodPhase
		isReady               bool
	}{
		"the kubelet has not seen it":            {1, 1, corev1.PodRunning, false},
		"the condition alone says so":            {0, 1, corev1.PodRunning, false},
		"the kubelet has seen it":                {2, 2, corev1.PodRunning, true},
		"the kubelet says nothing":               {0, 0, corev1.PodRunning, true},
		"the Pod has succeeded for all time":     {1, 1, corev1.PodSucceeded, true},
		"the status is newer than the condition": {2, 1, corev1.PodRunning, true},
	} {
		t.Run(name, func(t *testing.T) {
			pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Generation: 2}}
			pod.Status.Phase, pod.Status.ObservedGeneration = test.phase, test.ofStatus
			pod.Status.Conditions = []corev1.PodCondition{
				{Type: corev1.PodScheduled, Status: "True", ObservedGeneration: 1},
				{Type: corev1.PodReady, Status: "True", ObservedGeneration: test.ofCondition},
			}
			if got := Of(pod); (got.State == Ready) != test.isReady {
				t.Errorf("got %+v", got)
			}
		})
	}
}
