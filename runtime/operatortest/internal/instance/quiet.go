package instance

import (
	"context"
	"log/slog"
	"slices"
	"strings"
)

// routine are the beginnings of lines that controller-runtime logs whenever a manager starts or stops.
var routine = []string{
	"Starting EventSource", "Starting Controller", "Starting workers", "Shutdown signal received", "All workers finished",
	"Stopping and waiting for", "Wait completed, proceeding to shutdown the manager", "Starting metrics server",
	"Serving metrics server", "Shutting down metrics server", "starting server", "shutting down server",
}

// quiet drops the routine lines of controller-runtime from the output of a test, of which they would be the
// most. Warnings and errors stay, and so do the lines of the operator.
type quiet struct{ slog.Handler }

func (q quiet) Handle(ctx context.Context, record slog.Record) error {
	isRoutine := func(begins string) bool { return strings.HasPrefix(record.Message, begins) }
	if record.Level <= slog.LevelInfo && slices.ContainsFunc(routine, isRoutine) {
		return nil
	}
	return q.Handler.Handle(ctx, record)
}

func (q quiet) WithAttrs(attributes []slog.Attr) slog.Handler {
	return quiet{q.Handler.WithAttrs(attributes)}
}

func (q quiet) WithGroup(name string) slog.Handler { return quiet{q.Handler.WithGroup(name)} }
