package process

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"strings"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// exportSpans sends spans where OpenTelemetry's variables say. It returns a function that
// sends the last of them when the process ends. It does nothing without an exporter in the
// environment.
func exportSpans(ctx context.Context, program string, getenv func(string) string, logger *slog.Logger) (flush func(), err error) {
	if !hasExporter(getenv, logger) {
		return func() {}, nil
	}
	exporter, err := newExporter(ctx, getenv, logger)
	if err != nil {
		return nil, err
	}
	about, err := resource.New(ctx, resource.WithAttributes(attribute.String("service.name", program)), resource.WithTelemetrySDK(), resource.WithFromEnv())
	if err != nil {
		logger.Warn("part of what OTEL_RESOURCE_ATTRIBUTES says is left out", "err", err)
	}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { logger.Warn("spans were not sent", "err", err) }))
	provider := sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter), sdktrace.WithResource(about))
	otel.SetTracerProvider(provider)
	otel.SetTextMapPropagator(propagation.NewCompositeTextMapPropagator(propagation.TraceContext{}, propagation.Baggage{}))
	return func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		if err := provider.Shutdown(ctx); err != nil {
			logger.Warn("the last spans were not sent", "err", err)
		}
	}, nil
}

// hasExporter reports whether the environment names an exporter. It logs unknown values and
// ignores them, as OpenTelemetry asks for.
func hasExporter(getenv func(string) string, logger *slog.Logger) bool {
	if strings.EqualFold(getenv("OTEL_SDK_DISABLED"), "true") {
		return false
	}
	named := getenv("OTEL_TRACES_EXPORTER")
	if named == "" {
		return cmp.Or(getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"), getenv("OTEL_EXPORTER_OTLP_ENDPOINT")) != ""
	}
	exporters := strings.Split(named, ",")
	for i, exporter := range exporters {
		exporters[i] = strings.TrimSpace(exporter)
		if !slices.Contains([]string{"otlp", "none"}, exporters[i]) {
			logger.Warn("OTEL_TRACES_EXPORTER names an exporter that is not known: otlp or none", "exporter", exporters[i])
		}
	}
	return slices.Contains(exporters, "otlp")
}

// newExporter returns the exporter, which reads the rest of the variables itself.
func newExporter(ctx context.Context, getenv func(string) string, logger *slog.Logger) (*otlptrace.Exporter, error) {
	switch protocol := cmp.Or(getenv("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"), getenv("OTEL_EXPORTER_OTLP_PROTOCOL"), "http/protobuf"); protocol {
	case "grpc":
		return otlptracegrpc.New(ctx)
	case "http/protobuf":
	default:
		logger.Warn("OTEL_EXPORTER_OTLP_PROTOCOL is not known and http/protobuf is used: grpc or http/protobuf", "protocol", protocol)
	}
	return otlptracehttp.New(ctx)
}
