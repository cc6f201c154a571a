package tracedpod

import (
	"context"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
)

// service is a service outside of the cluster.
type service struct {
	name string
	do   func(ctx context.Context, operation, subject string) (answer string, err error)
}

// call calls the service. The call is a span below that of Sync, from whose context ctx comes. Without
// a collector it costs nothing.
func (s service) call(ctx context.Context, operation, subject string) (string, error) {
	ctx, span := otel.Tracer("example.com/traced-controller").Start(ctx, s.name+" "+operation,
		trace.WithSpanKind(trace.SpanKindClient),
		trace.WithAttributes(attribute.String("peer.service", s.name), attribute.String("subject", subject)))
	defer span.End()
	answer, err := s.do(ctx, operation, subject)
	if err != nil {
		span.RecordError(err)
		span.SetStatus(codes.Error, err.Error())
	}
	return answer, err
}

// newFake returns a service that answers every call after a while.
func newFake(name, answer string, after time.Duration) service {
	return service{name: name, do: func(ctx context.Context, _, _ string) (string, error) {
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case <-time.After(after):
			return answer, nil
		}
	}}
}
