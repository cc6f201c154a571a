package instance

import (
	"log/slog"
	"testing"
)

// A goroutine that outlives its test logs.
func TestOutputEndsWithItsTest(t *testing.T) {
	var logger *slog.Logger
	t.Run("logs", func(t *testing.T) {
		logger = slog.New(slog.NewTextHandler(outputOf(t), nil))
		t.Cleanup(func() { logger.Info("in a cleanup") })
	})
	logger.Info("after its end")
}
