package process

import (
	"context"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

// globalTracer returns a tracer of OpenTelemetry's global provider, which drops spans until [Main] or
// the author sets another.
func globalTracer() trace.Tracer { return otel.Tracer("github.com/opgen-dev/opgen/runtime/operator") }

// StartReconcile returns the context of a reconcile with its span, and with a logger that
// names the parent's generation. The controller's logger names the parent and the reconcileID.
func StartReconcile(ctx context.Context, name string, kind schema.GroupVersionKind, parent client.Object) (context.Context, trace.Span) {
	logger := log.FromContext(ctx).WithValues("generation", parent.GetGeneration())
	ctx, span := globalTracer().Start(ctx, "reconcile "+name)
	if span.IsRecording() {
		span.SetAttributes(
			attribute.String("opgen.controller", name),
			attribute.String("opgen.parent.kind", kind.Kind),
			attribute.String("opgen.parent.namespace", parent.GetNamespace()),
			attribute.String("opgen.parent.name", parent.GetName()),
			attribute.Int64("opgen.parent.generation", parent.GetGeneration()),
			attribute.String("opgen.reconcile.id", string(controller.ReconcileIDFromContext(ctx))),
		)
		logger = logger.WithValues("traceID", span.SpanContext().TraceID().String())
	}
	return log.IntoContext(ctx, logger), span
}

// TraceID returns the ID of the trace that a reconcile belongs to; empty if it is not traced.
func TraceID(ctx context.Context) string {
	if span := trace.SpanFromContext(ctx); span.IsRecording() {
		return span.SpanContext().TraceID().String()
	}
	return ""
}

// SetResult sets the result of a reconcile in its span. message describes its error; empty:
// it had none.
func SetResult(ctx context.Context, result, message string) {
	span := trace.SpanFromContext(ctx)
	if !span.IsRecording() {
		return
	}
	span.SetAttributes(attribute.String("opgen.result", result))
	if message != "" {
		span.SetStatus(codes.Error, message)
	}
}

// CallInSpan makes a call in a new span. describe returns the text of an error.
func CallInSpan[T any](ctx context.Context, name string, describe func(error) string, call func(context.Context) (T, error)) (T, error) {
	ctx, span := globalTracer().Start(ctx, name)
	defer span.End()
	value, err := call(ctx)
	if err != nil && span.IsRecording() {
		span.SetStatus(codes.Error, describe(err))
	}
	return value, err
}
