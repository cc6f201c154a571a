package operator

import (
	"context"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

// tracer makes spans of OpenTelemetry's global provider, which does nothing
// until [Main] or the author sets one.
var tracer = otel.Tracer("github.com/opgen-dev/opgen/runtime/operator")

// begin returns the context of a pass whose view of the world is complete, with
// its span, and with a logger that names the parent's generation. The
// controller's logger names the parent and the sync id, as reconcileID.
func (p *pass) begin(ctx context.Context) (context.Context, trace.Span) {
	logger := log.FromContext(ctx).WithValues("generation", p.parent.GetGeneration())
	ctx, span := tracer.Start(ctx, "pass "+p.name)
	if span.IsRecording() {
		span.SetAttributes(
			attribute.String("opgen.controller", p.name),
			attribute.String("opgen.parent.kind", p.loop.parent.Kind),
			attribute.String("opgen.parent.namespace", p.parent.GetNamespace()),
			attribute.String("opgen.parent.name", p.parent.GetName()),
			attribute.Int64("opgen.parent.generation", p.parent.GetGeneration()),
			attribute.String("opgen.sync.id", string(controller.ReconcileIDFromContext(ctx))),
		)
		logger = logger.WithValues("traceID", span.SpanContext().TraceID().String())
	}
	return log.IntoContext(ctx, logger), span
}

// ended counts a pass that ended with this result, and says so in its span.
func (p *pass) ended(ctx context.Context, result string, err error) {
	p.metrics.passed(p.name, result, p.loop.now().Sub(p.now))
	span := trace.SpanFromContext(ctx)
	if !span.IsRecording() {
		return
	}
	span.SetAttributes(attribute.String("opgen.result", result))
	if err != nil {
		span.SetStatus(codes.Error, message(err))
	}
}

// spanned calls the author's code in a span of its own.
func spanned[T any](ctx context.Context, name string, call func(context.Context) (*T, error)) (*T, error) {
	ctx, span := tracer.Start(ctx, name)
	defer span.End()
	value, err := call(ctx)
	if err != nil && span.IsRecording() {
		span.SetStatus(codes.Error, message(err))
	}
	return value, err
}
