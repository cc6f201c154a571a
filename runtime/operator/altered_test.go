package operator_test

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/opgen-dev/opgen/runtime/operatortest"
)

// What admission changes or removes in a child is not fought over, and not silent.
func TestAlteredByAdmission(t *testing.T) {
	t.Parallel()
	for name, patch := range map[string]string{
		"changed": `{"data":{"key":"theirs"}}`,
		"removed": `{"data":{"key":null}}`,
	} {
		t.Run(name, func(t *testing.T) {
			f := prepare(t, &author{sync: desire(desireOne)})
			f.Mutate(&corev1.ConfigMap{}, patch)
			f.Create(f.site)
			f.expectAltered("ConfigMap " + f.Namespace + "/web: data.key")
			f.Converged(f.site)

			f.setSync(desire(func(want *Desired) { want.ConfigMaps.Add(configMap("web", "another")) }))
			f.Update(f.site, func() { f.site.Spec.Text = "changed" })
			f.expectAltered("data.key")
			f.Converged(f.site)
		})
	}
}

// Once admission lets be, desired values are written again: after a start, on request,
// at a change of the child and after an hour.
func TestAlteredValuesAreTriedAgain(t *testing.T) {
	t.Parallel()
	for name, again := range map[string]func(*fixture){
		"after a start": func(f *fixture) { f.Restart() },
		"on request":    func(f *fixture) { f.annotate(requestKey, "now") },
		"at a change": func(f *fixture) {
			child := named(&corev1.ConfigMap{}, "web")
			f.Update(child, func() { child.Data["key"] = "another" })
		},
		"after an hour": func(f *fixture) { f.Advance(time.Hour + time.Minute) },
	} {
		t.Run(name, func(t *testing.T) {
			f := prepare(t, &author{sync: desire(desireOne)})
			child := named(&corev1.ConfigMap{}, "web")
			allow := f.Mutate(&corev1.ConfigMap{}, `{"data":{"key":"theirs"}}`)
			f.Create(f.site)
			f.expectAltered("data.key")
			allow()
			f.Settled()
			if f.Get(child); child.Data["key"] != "theirs" {
				t.Fatalf("before, data is %v", child.Data)
			}
			again(f)
			f.Eventually("the value is as desired", func() error { return expectValue(f.Cluster, child, "one") })
			f.status("Ready", "Ready")
			f.Converged(f.site)
		})
	}
}

// A value that admission takes away again is written once an hour at most, whatever happens to the parent meanwhile.
func TestAlteredValuesAreTriedOnceAnHourAtMost(t *testing.T) {
	f := prepare(t, &author{sync: desire(desireOne)})
	f.Mutate(&corev1.ConfigMap{}, `{"data":{"key":"theirs"}}`)
	f.Create(f.site)
	f.expectAltered("data.key")
	f.Converged(f.site)
	f.StopClock()
	before := f.Settled()
	for range 5 {
		f.Advance(11 * time.Minute)
		f.Update(f.site, func() { f.site.Spec.Text += "." })
		f.Settled()
	}
	if requests := countResource(f.Sent()[before:], "configmaps"); requests != 0 {
		t.Errorf("%d requests for the child within 55 minutes", requests)
	}
	f.Advance(10 * time.Minute)
	f.Update(f.site, func() { f.site.Spec.Text += "." })
	f.Settled()
	if requests := countResource(f.Sent()[before:], "configmaps"); requests == 0 {
		t.Error("the value was not tried again after an hour")
	}
}

// countResource counts the requests for a resource.
func countResource(sent []operatortest.Request, resource string) (count int) {
	for _, request := range sent {
		if request.Resource == resource {
			count++
		}
	}
	return count
}

// expectAltered waits until Ready names what admission changes.
func (f *fixture) expectAltered(text string) {
	f.t.Helper()
	status := f.status("Ready", "ChangedByAdmission")
	if ready := meta.FindStatusCondition(status.Conditions, "Ready"); ready.Status != "True" || !strings.Contains(ready.Message, text) {
		f.t.Errorf("Ready is %+v, which does not say %q", ready, text)
	}
}
