package process

import (
	"net/http"
	"strings"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// transport carries an operator's requests to the API server. It refuses writes once the
// lease is lost or released, and those of an operator that observes. It makes a span of each
// write in a reconcile.
type transport struct {
	next     http.RoundTripper
	life     *lifetime
	observes bool
}

// RoundTrip carries one request.
func (t transport) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.Method == http.MethodGet || request.Method == http.MethodHead {
		response, err := t.next.RoundTrip(request)
		return readAnswer(request, response, err)
	}
	err := t.life.writeError()
	if t.observes && !isObservable(request) {
		err = errObserving
	}
	if err != nil {
		if request.Body != nil {
			_ = request.Body.Close()
		}
		return nil, err
	}
	if !trace.SpanFromContext(request.Context()).IsRecording() {
		return t.next.RoundTrip(request)
	}
	return t.traceRequest(request)
}

// WrappedRoundTripper lets client-go find the transport below.
func (t transport) WrappedRoundTripper() http.RoundTripper { return t.next }

func (t transport) traceRequest(request *http.Request) (*http.Response, error) {
	ctx, span := globalTracer().Start(request.Context(), request.Method+" "+requestResource(request.URL.Path), trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(
		attribute.String("http.request.method", request.Method),
		attribute.String("url.full", request.URL.String()),
		attribute.String("server.address", request.URL.Hostname()),
	))
	defer span.End()
	request = request.Clone(ctx)
	otel.GetTextMapPropagator().Inject(ctx, propagation.HeaderCarrier(request.Header))
	response, err := t.next.RoundTrip(request)
	if err != nil {
		span.SetStatus(codes.Error, err.Error())
		return nil, err
	}
	span.SetAttributes(attribute.Int("http.response.status_code", response.StatusCode))
	if response.StatusCode >= http.StatusBadRequest {
		span.SetStatus(codes.Error, response.Status)
	}
	return response, nil
}

// requestResource returns the resource of an API path, with its subresource: pods,
// deployments/status.
func requestResource(path string) string {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	switch {
	case len(parts) > 2 && parts[0] == "api":
		parts = parts[2:]
	case len(parts) > 3 && parts[0] == "apis":
		parts = parts[3:]
	default:
		return path
	}
	if len(parts) > 2 && parts[0] == "namespaces" && parts[2] != "status" && parts[2] != "finalize" {
		parts = parts[2:]
	}
	if len(parts) > 2 {
		return parts[0] + "/" + strings.Join(parts[2:], "/")
	}
	return parts[0]
}
