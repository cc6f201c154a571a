package instance

import (
	"log/slog"
	"strings"
	"testing"
)

func TestQuiet(t *testing.T) {
	var output strings.Builder
	logger := slog.New(quiet{slog.NewTextHandler(&output, nil)}).With("controller", "ledger").WithGroup("of")
	logger.Info("Starting EventSource", "source", "kind source: *v1.Pod")
	logger.Info("Stopping and waiting for caches")
	logger.Error("Starting EventSource", "err", "no such kind")
	logger.Info("the ledger is open", "pages", 3)
	lines := strings.Split(strings.TrimSpace(output.String()), "\n")
	if len(lines) != 2 || !strings.Contains(lines[0], "no such kind") || !strings.Contains(lines[1], "controller=ledger of.pages=3") {
		t.Errorf("the output is:\n%s", output.String())
	}
}
