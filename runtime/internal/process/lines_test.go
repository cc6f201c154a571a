package process

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/go-logr/logr"
)

type failure struct{ error }

func (failure) LogAttributes() []slog.Attr { return []slog.Attr{slog.String("reason", "SyncFailed")} }

func TestLinesAreTruncatedAsConditionsAre(t *testing.T) {
	long := strings.Repeat("a", 999) + "äb"
	short := strings.Repeat("a", 999) + "…"
	for name, test := range map[string]struct {
		log  func(logr.Logger)
		want string
	}{
		"a message":            {func(l logr.Logger) { l.Info(long) }, "msg=" + short},
		"a text":               {func(l logr.Logger) { l.Info("x", "text", long) }, "msg=x text=" + short},
		"an error":             {func(l logr.Logger) { l.Error(errors.New(long), "x") }, "msg=x err=" + short},
		"a value of all lines": {func(l logr.Logger) { l.WithValues("text", long).Info("x") }, "msg=x text=" + short},
		"a stack":              {func(l logr.Logger) { l.Info("x", "stack", long) }, "msg=x stack=" + long},
		"a number":             {func(l logr.Logger) { l.Info("x", "count", 7) }, "msg=x count=7"},
		"an error with attributes": {func(l logr.Logger) { l.Error(failure{errors.New("no database")}, "x") },
			`msg=x err="no database" reason=SyncFailed`},
		"an error that wraps one with attributes": {func(l logr.Logger) { l.Error(fmt.Errorf("terminal: %w", failure{errors.New("no database")}), "x") },
			`msg=x err="terminal: no database" reason=SyncFailed`},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			test.log(logr.FromSlogHandler(newLineHandler(slog.NewTextHandler(&out, nil))))
			if _, line, _ := strings.Cut(strings.TrimSpace(out.String()), "msg="); "msg="+line != test.want {
				t.Errorf("line is %q, want %q", "msg="+line, test.want)
			}
		})
	}
}

func TestDebugShowsNothingForDevelopersOfClientGo(t *testing.T) {
	var out bytes.Buffer
	handler := newLineHandler(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug}))
	client := logr.FromSlogHandler(clientHandler{handler}).WithName("reflector").WithValues("a", "b")
	client.V(1).Info("feature gate")
	client.Info("throttled")
	client.Error(errors.New("refused"), "list failed")
	logr.FromSlogHandler(handler).V(1).Info("applied a child")
	for text, isShown := range map[string]bool{"feature gate": false, "throttled": true, "list failed": true, "applied a child": true} {
		if strings.Contains(out.String(), text) != isShown {
			t.Errorf("%q is shown: %t", text, !isShown)
		}
	}
}
