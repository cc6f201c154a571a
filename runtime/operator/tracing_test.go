package operator_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	tracev1 "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// receiver receives spans over OTLP.
type receiver struct {
	*httptest.Server
	mu      sync.Mutex
	service string
	spans   []*tracev1.Span
}

func receive(t *testing.T) *receiver {
	t.Helper()
	r := new(receiver)
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(request.Body)
		var message collector.ExportTraceServiceRequest
		if err == nil {
			err = proto.Unmarshal(body, &message)
		}
		if err != nil || request.URL.Path != "/v1/traces" {
			http.Error(w, fmt.Sprint(request.URL.Path, err), http.StatusBadRequest)
			return
		}
		r.add(&message)
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) add(message *collector.ExportTraceServiceRequest) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, of := range message.ResourceSpans {
		for _, attribute := range of.Resource.Attributes {
			if attribute.Key == "service.name" {
				r.service = attribute.Value.GetStringValue()
			}
		}
		for _, scope := range of.ScopeSpans {
			r.spans = append(r.spans, scope.Spans...)
		}
	}
}

// find returns the spans of this name below another; below nil means anywhere.
func (r *receiver) find(name string, below *tracev1.Span) (found []*tracev1.Span) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, span := range r.spans {
		if span.Name == name && (below == nil || string(span.ParentSpanId) == string(below.SpanId)) {
			found = append(found, span)
		}
	}
	return found
}

func attributes(span *tracev1.Span) map[string]string {
	values := map[string]string{}
	for _, attribute := range span.Attributes {
		values[attribute.Key] = attribute.Value.GetStringValue()
		if attribute.Value.GetStringValue() == "" {
			values[attribute.Key] = fmt.Sprint(attribute.Value.GetIntValue())
		}
	}
	return values
}

func TestReconcilesAreTracedAndLogged(t *testing.T) {
	f := alone(t)
	spans := receive(t)
	p := f.launch("plain", []string{
		"OTEL_EXPORTER_OTLP_ENDPOINT=" + spans.URL, "OTEL_SERVICE_NAME=sites", "OTEL_BSP_SCHEDULE_DELAY=50",
	}, "--log-format=json", "--log-level=debug")
	f.Create(f.site)
	f.status("Ready", "Ready")
	f.Eventually("a reconcile was traced", func() error {
		if len(spans.find("PATCH sites/status", nil)) == 0 || len(spans.find("reconcile site", nil)) == 0 {
			return fmt.Errorf("spans are %v", spans.spans)
		}
		return nil
	})
	span := spans.find("reconcile site", nil)[0]
	got := attributes(span)
	id := got["opgen.reconcile.id"]
	want := map[string]string{
		"opgen.controller": "site", "opgen.parent.kind": "Site", "opgen.parent.namespace": f.Namespace, "opgen.parent.name": "web",
		"opgen.parent.generation": "1", "opgen.reconcile.id": id, "opgen.result": "success",
	}
	if fmt.Sprint(got) != fmt.Sprint(want) || id == "" {
		t.Errorf("attributes of the reconcile are %v, want %v", got, want)
	}
	for _, child := range []string{"Sync", "POST configmaps", "PATCH sites/status"} {
		if found := spans.find(child, span); len(found) != 1 {
			t.Errorf("%d spans %s below that of the reconcile, want 1", len(found), child)
		}
	}
	if found := spans.find("POST configmaps", span); len(found) == 1 && attributes(found[0])["http.response.status_code"] != "201" {
		t.Errorf("attributes of a write are %v", attributes(found[0]))
	}
	if spans.service != "sites" {
		t.Errorf("the service is %q", spans.service)
	}
	p.expectLogs(id, fmt.Sprintf("%x", span.TraceId), f.Namespace, "Sync begins", "applied a child")
}

// expectLogs checks that each of these lines of a reconcile says whose and which it is.
func (p *operatorProcess) expectLogs(id, trace, namespace string, messages ...string) {
	p.t.Helper()
	p.log.Lock()
	defer p.log.Unlock()
	found := map[string]bool{}
	for scanner := bufio.NewScanner(strings.NewReader(p.log.String())); scanner.Scan(); {
		var line map[string]any
		if err := json.Unmarshal(scanner.Bytes(), &line); err != nil || line["reconcileID"] != id {
			continue
		}
		found[fmt.Sprint(line["msg"])] = true
		if line["namespace"] != namespace || line["name"] != "web" || line["generation"] != 1.0 || line["controller"] != "site" || line["traceID"] != trace {
			p.t.Errorf("a line of the reconcile lacks something: %s", scanner.Text())
		}
	}
	for _, message := range messages {
		if !found[message] {
			p.t.Errorf("no line %q has the id of the reconcile, %s", message, id)
		}
	}
}
