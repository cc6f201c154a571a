package operator_test

import (
	"context"
	"maps"
	"testing"

	"github.com/opgen-dev/opgen/runtime/internal/testapi"
)

func TestParentGetsLabelsAndAnnotations(t *testing.T) {
	answer := func(labels, annotations map[string]string) Function {
		return func(context.Context, *Request) (*Response, error) {
			return &Response{Children: new(Desired), Labels: labels, Annotations: annotations, Status: &testapi.Status{Phase: "Synced"}}, nil
		}
	}
	a := &author{sync: answer(map[string]string{"tier": "web", "size": "small"}, map[string]string{"note": "one"})}
	f := start(t, a)
	expect := func(labels map[string]string, note string) {
		t.Helper()
		f.reconcile()
		f.status("Ready", "Ready")
		before := f.Settled()
		f.reconcile()
		f.expectRequests(before)
		if f.Get(f.site); !maps.Equal(f.site.Labels, labels) || f.site.Annotations["note"] != note {
			t.Errorf("labels %v, annotations %v", f.site.Labels, f.site.Annotations)
		}
	}
	f.Update(f.site, func() { f.site.Labels = map[string]string{"theirs": "yes"} })
	expect(map[string]string{"tier": "web", "size": "small", "theirs": "yes"}, "one")

	f.Update(f.site, func() { f.site.Labels["tier"] = "edited" })
	expect(map[string]string{"tier": "web", "size": "small", "theirs": "yes"}, "one")

	f.setSync(answer(map[string]string{"tier": "db"}, nil))
	expect(map[string]string{"tier": "db", "theirs": "yes"}, "one")

	f.setSync(answer(nil, map[string]string{}))
	expect(map[string]string{"tier": "db", "theirs": "yes"}, "")

	f.setSync(answer(map[string]string{}, nil))
	expect(map[string]string{"theirs": "yes"}, "")
}
