package cel

import (
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func TestRule(t *testing.T) {
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "web-0", Namespace: "shop", Labels: map[string]string{"app": "web"}, Generation: 3},
		Status: corev1.PodStatus{
			Phase:      corev1.PodRunning,
			Conditions: []corev1.PodCondition{{Type: "Ready", Status: "True", ObservedGeneration: 3}},
		},
	}
	service := &corev1.Service{Spec: corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 80, TargetPort: intstr.FromString("http")}}}}
	widget := &unstructured.Unstructured{Object: map[string]any{
		"metadata": map[string]any{"name": "w"},
		"status":   map[string]any{"ready": true, "share": 0.5, "count": int64(2), "size": "10Gi", "none": nil},
	}}
	tests := map[string]struct {
		rule   string
		object client.Object
		want   bool
		err    string
	}{
		"a field":                  {rule: "self.status.phase == 'Running'", object: pod, want: true},
		"another value":            {rule: "self.status.phase == 'Failed'", object: pod},
		"conditions":               {rule: "self.status.conditions.exists(c, c.type == 'Ready' && c.status == 'True')", object: pod, want: true},
		"a number":                 {rule: "self.metadata.generation == self.status.conditions[0].observedGeneration", object: pod, want: true},
		"a reserved word":          {rule: "self.metadata.namespace == 'shop'", object: pod, want: true},
		"a map":                    {rule: "self.metadata.labels['app'] == 'web'", object: pod, want: true},
		"an absent field":          {rule: "self.status.podIP != ''", object: pod, err: "no such key: podIP"},
		"has":                      {rule: "has(self.status.podIP)", object: pod},
		"an optional field":        {rule: "self.?status.podIP.orValue('none') == 'none'", object: pod, want: true},
		"the string functions":     {rule: "self.metadata.name.split('-')[1] == '0'", object: pod, want: true},
		"text in the place of int": {rule: "self.spec.ports.all(p, p.targetPort == 'http')", object: service, want: true},
		"a boolean of no schema":   {rule: "self.status.ready", object: widget, want: true},
		"an absent boolean":        {rule: "self.status.done", object: widget, err: "no such key: done"},
		"no boolean":               {rule: "self.status.count", object: widget, err: "yields int, not a boolean"},
		"a fraction and a whole":   {rule: "self.status.share < 1 && self.status.count > 1.5", object: widget, want: true},
		"the quantity functions":   {rule: "quantity(self.status.size).isGreaterThan(quantity('9Gi'))", object: widget, want: true},
		"null":                     {rule: "self.status.none == null", object: widget, want: true},
		"another type":             {rule: "self.status.count.startsWith('a')", object: widget, err: "no such overload"},
		"one side decides":         {rule: "self.status.ready || self.status.done", object: widget, want: true},
		"a syntax error":           {rule: "self.status.phase ==", object: pod, err: `rule "self.status.phase ==": `},
		"text":                     {rule: "'yes'", object: pod, err: "yields string, not a boolean"},
		"nothing":                  {rule: "", object: pod, err: `rule "": `},
		"an unknown variable":      {rule: "child.status.phase == ''", object: pod, err: "undeclared reference to 'child'"},
		"no object":                {rule: "true", err: "no object"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			rule := Rule(test.rule)
			for range 2 { // an error is returned each time
				got, err := rule(test.object)
				if got != test.want {
					t.Errorf("got %v, want %v", got, test.want)
				}
				if message := text(err); (message == "") != (test.err == "") || !strings.Contains(message, test.err) {
					t.Errorf("error %q, want %q", message, test.err)
				}
			}
		})
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// A rule that would keep the operator busy ends with an error.
func TestRuleThatTakesTooLong(t *testing.T) {
	items := make([]any, 2000)
	for i := range items {
		items[i] = int64(i)
	}
	object := &unstructured.Unstructured{Object: map[string]any{"items": items}}
	result, err := Rule("self.items.all(a, self.items.all(b, self.items.all(c, a + b + c >= 0)))")(object)
	if result || !strings.Contains(text(err), "cost limit exceeded") {
		t.Errorf("got %v and %v", result, err)
	}
}

// Reconciles of several parents evaluate one rule at once.
func TestRuleIsSafeForConcurrentUse(t *testing.T) {
	rule := Rule("self.metadata.name.startsWith('web')")
	var evaluations sync.WaitGroup
	for range 8 {
		evaluations.Go(func() {
			for range 100 {
				if ready, err := rule(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "web-0"}}); !ready || err != nil {
					t.Errorf("got %v, %v", ready, err)
				}
			}
		})
	}
	evaluations.Wait()
}

// An object that is not to be changed is not changed.
func TestRuleLeavesTheObjectAlone(t *testing.T) {
	object := &unstructured.Unstructured{Object: map[string]any{"a": []any{int64(1), int64(2)}}}
	before := object.DeepCopy()
	if _, err := Rule("self.a.map(x, x * 2).sum() == 6")(object); err != nil {
		t.Fatal(err)
	}
	if !equal(before, object) {
		t.Errorf("%v became %v", before, object)
	}
}

func equal(a, b *unstructured.Unstructured) bool {
	one, err1 := a.MarshalJSON()
	other, err2 := b.MarshalJSON()
	return err1 != nil && err2 != nil || string(one) == string(other)
}

func BenchmarkRule(b *testing.B) {
	pod := &corev1.Pod{Status: corev1.PodStatus{Conditions: []corev1.PodCondition{{Type: "Initialized"}, {Type: "Ready", Status: "True"}}}}
	rule := Rule("self.status.conditions.exists(c, c.type == 'Ready' && c.status == 'True')")
	for b.Loop() {
		if ready, err := rule(pod); !ready || err != nil {
			b.Fatal(ready, err)
		}
	}
}
