package reconcile

import (
	"strconv"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func TestEditsOfASpec(t *testing.T) {
	web := func(generation int64) client.Object {
		return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Generation: generation}}
	}
	// A Service has no generation.
	service := func(name, phase string) client.Object {
		return &corev1.Service{
			ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{"phase": phase}},
			Spec:       corev1.ServiceSpec{ExternalName: name}, Status: corev1.ServiceStatus{Conditions: []metav1.Condition{{Type: phase}}},
		}
	}
	type seen struct {
		parent      client.Object
		observed    int64
		hasChildren bool
		isEdited    bool
	}
	for name, test := range map[string][]seen{
		"new":                            {{web(1), 0, false, true}, {web(1), 0, true, true}, {web(1), 1, true, true}},
		"new, without a generation":      {{service("a", "one"), 0, false, true}, {service("a", "two"), 0, true, true}},
		"as before the start":            {{web(4), 4, true, false}},
		"childless before the start":     {{web(4), 4, false, false}, {web(4), 4, true, false}},
		"edited before the start":        {{web(5), 4, true, true}, {web(5), 5, true, true}},
		"edited":                         {{web(4), 4, true, false}, {web(5), 4, true, true}, {web(5), 5, true, true}},
		"edited, of another's kind":      {{web(4), 0, true, false}, {web(5), 0, true, true}},
		"without a generation":           {{service("a", "one"), 0, true, false}, {service("a", "two"), 0, true, false}},
		"edited, without a generation":   {{service("a", "one"), 0, true, false}, {service("b", "one"), 0, true, true}},
		"edited back, before converging": {{service("a", "one"), 0, true, false}, {service("b", "one"), 0, true, true}, {service("a", "one"), 0, true, true}},
	} {
		t.Run(name, func(t *testing.T) {
			state := new(state)
			for i, seen := range test {
				seen.parent.SetResourceVersion(strconv.Itoa(i + 1))
				if state.startSpec(seen.parent, seen.observed, seen.hasChildren); state.isEdited != seen.isEdited {
					t.Errorf("reconcile %d: the spec counts as edited: %t, want %t", i, state.isEdited, seen.isEdited)
				}
			}
		})
	}
}
