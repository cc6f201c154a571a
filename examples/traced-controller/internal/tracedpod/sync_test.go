package tracedpod

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

// record returns where all spans go until the test ends. The provider is that of the whole program, so
// tests with it do not run beside each other.
func record(t *testing.T) *tracetest.InMemoryExporter {
	t.Helper()
	spans := tracetest.NewInMemoryExporter()
	before := otel.GetTracerProvider()
	otel.SetTracerProvider(sdktrace.NewTracerProvider(sdktrace.WithSyncer(spans)))
	t.Cleanup(func() { otel.SetTracerProvider(before) })
	return spans
}

// answering is a service that answers, or fails, at once.
func answering(name, answer string, err error) service {
	return service{name: name, do: func(context.Context, string, string) (string, error) { return answer, err }}
}

func newPod() *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "web", Labels: map[string]string{"traced": "true"}},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: "web:1"}}},
	}
}

func TestSync(t *testing.T) {
	down := errors.New("no route to host")
	for _, test := range []struct {
		name         string
		cache, cloud service
		address      string
		err          string
		spans        []string // in the order in which they end
	}{
		{"the cache knows the address", answering("cache", "192.0.2.7", nil), answering("cloud", "", down),
			"192.0.2.7", "", []string{"cache get"}},
		{"the cloud knows it", answering("cache", "", nil), answering("cloud", "192.0.2.1", nil),
			"192.0.2.1", "", []string{"cache get", "cloud describe", "cache store"}},
		{"the cloud does not answer", answering("cache", "", nil), answering("cloud", "", down),
			"", "cloud: no route to host", []string{"cache get", "cloud describe: no route to host"}},
		{"the cache does not answer", answering("cache", "", down), answering("cloud", "", nil),
			"", "cache: no route to host", []string{"cache get: no route to host"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			spans := record(t)
			pod := newPod()
			pod.Namespace = "shop"
			c := operatortest.Case[Request, Response]{
				Name: "answers", Given: Request{Parent: pod}, ExpectError: test.err,
			}
			if test.err == "" {
				c.Expect = &Response{Annotations: map[string]string{annotation: test.address}}
			}
			operatortest.Run(t, (&Reconciler{cache: test.cache, cloud: test.cloud}).Sync, c)
			var got []string
			for _, span := range spans.GetSpans() {
				got = append(got, describe(t, span))
			}
			if !slices.Equal(got, test.spans) {
				t.Errorf("the spans are %q, want %q", got, test.spans)
			}
		})
	}
}

// describe returns the name of the span of a call, and its error. It requires that the span is a
// client's, that its attributes say whom it asked about what, and that it has recorded the error.
func describe(t *testing.T, span tracetest.SpanStub) string {
	t.Helper()
	service, _, _ := strings.Cut(span.Name, " ")
	attributes := []attribute.KeyValue{
		attribute.String("peer.service", service), attribute.String("subject", "shop/web"),
	}
	if span.SpanKind != trace.SpanKindClient || !slices.Equal(span.Attributes, attributes) {
		t.Errorf("%s is a span of kind %s with %v", span.Name, span.SpanKind, span.Attributes)
	}
	if span.Status.Code != codes.Error {
		return span.Name
	}
	message := attribute.String("exception.message", span.Status.Description)
	if len(span.Events) != 1 || !slices.Contains(span.Events[0].Attributes, message) {
		t.Errorf("%s has failed, and has the events %v", span.Name, span.Events)
	}
	return span.Name + ": " + span.Status.Description
}

// TestTrace runs the operator against a real API server, without which it skips, and compares the spans of
// the reconcile that writes the annotation. See make test-e2e.
func TestTrace(t *testing.T) {
	spans := record(t)
	cluster := operatortest.Start(t, operatortest.Config{
		Controllers: func(mgr operator.Manager) ([]operator.Controller, error) {
			controller, err := New(mgr)
			return []operator.Controller{controller}, err
		},
		Roles: "../../deploy/zz_generated.rbac.yaml",
	})
	pod := newPod()
	cluster.Create(pod)
	cluster.Matches(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{
		Name: "web", Annotations: map[string]string{annotation: "192.0.2.1"},
	}})
	cluster.Converged(pod)
	cluster.Truthful(pod)

	trees := treesOf(spans.GetSpans())
	expected := "reconcile tracedpod(Sync(cache get, cloud describe, cache store), PATCH pods)"
	if !slices.Contains(slices.Collect(maps.Values(trees)), expected) {
		t.Errorf("no reconcile has the spans %s: %v", expected, trees)
	}
	for _, span := range spans.GetSpans() {
		if span.Name != "reconcile tracedpod" {
			continue
		}
		attributes := map[string]string{}
		for _, attribute := range span.Attributes {
			attributes[string(attribute.Key)] = attribute.Value.String()
		}
		if attributes["opgen.parent.name"] != "web" || attributes["opgen.parent.kind"] != "Pod" {
			t.Errorf("the attributes of the reconcile are %v", attributes)
		}
	}

	// A Pod that loses the label loses the annotation.
	cluster.Update(pod, func() { pod.Labels = nil })
	cluster.Eventually("the annotation is gone", func() error {
		if cluster.Get(pod); pod.Annotations[annotation] != "" {
			return fmt.Errorf("it is %v", pod.Annotations)
		}
		return nil
	})
	cluster.Delete(pod)
	cluster.Gone(pod)
}

// treesOf returns each trace as a text, by the ID of its root: a span, and those below it in the order in which they began.
func treesOf(spans tracetest.SpanStubs) map[trace.SpanID]string {
	slices.SortStableFunc(spans, func(a, b tracetest.SpanStub) int { return a.StartTime.Compare(b.StartTime) })
	below := map[trace.SpanID][]tracetest.SpanStub{}
	for _, span := range spans {
		below[span.Parent.SpanID()] = append(below[span.Parent.SpanID()], span)
	}
	var textOf func(tracetest.SpanStub) string
	textOf = func(span tracetest.SpanStub) string {
		text := span.Name
		for i, child := range below[span.SpanContext.SpanID()] {
			text += []string{"(", ", "}[min(i, 1)] + textOf(child)
		}
		if len(below[span.SpanContext.SpanID()]) > 0 {
			text += ")"
		}
		return text
	}
	trees := map[trace.SpanID]string{}
	for _, root := range below[trace.SpanID{}] {
		trees[root.SpanContext.SpanID()] = textOf(root)
	}
	return trees
}
