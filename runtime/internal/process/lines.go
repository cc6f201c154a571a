package process

import (
	"context"
	"errors"
	"log/slog"
	"strings"
)

// TruncateText shortens a text to what an Event has room for. A condition and a log line keep as much
// of a message.
func TruncateText(text string) string {
	const room = 1000
	if len(text) > room {
		text = strings.ToValidUTF8(text[:room], "") + "…"
	}
	return text
}

// stackKey is the attribute of a stack, which is as long as it is.
const stackKey = "stack"

// lineHandler handles lines of the log. It truncates their texts, and adds the attributes that an error
// has.
type lineHandler struct{ slog.Handler }

func newLineHandler(handler slog.Handler) slog.Handler { return lineHandler{handler} }

// Handle truncates a line.
func (h lineHandler) Handle(ctx context.Context, line slog.Record) error {
	truncated := slog.NewRecord(line.Time, line.Level, TruncateText(line.Message), line.PC)
	line.Attrs(func(attribute slog.Attr) bool {
		truncated.AddAttrs(truncateAttribute(attribute))
		truncated.AddAttrs(attributesOf(attribute.Value.Any())...)
		return true
	})
	return h.Handler.Handle(ctx, truncated)
}

// attributesOf returns the attributes that an error, or one that it wraps, has beside its text.
func attributesOf(value any) []slog.Attr {
	err, isError := value.(error)
	var described interface {
		error
		LogAttributes() []slog.Attr
	}
	if !isError || !errors.As(err, &described) {
		return nil
	}
	return described.LogAttributes()
}

// WithAttrs returns a handler of lines with attributes.
func (h lineHandler) WithAttrs(attributes []slog.Attr) slog.Handler {
	truncated := make([]slog.Attr, len(attributes))
	for i, attribute := range attributes {
		truncated[i] = truncateAttribute(attribute)
	}
	return lineHandler{h.Handler.WithAttrs(truncated)}
}

// WithGroup returns a handler of lines in a group.
func (h lineHandler) WithGroup(name string) slog.Handler {
	return lineHandler{h.Handler.WithGroup(name)}
}

// truncateAttribute truncates the text or the error of an attribute. Other values stay.
func truncateAttribute(attribute slog.Attr) slog.Attr {
	if attribute.Key == stackKey {
		return attribute
	}
	if attribute.Value.Kind() == slog.KindString {
		return slog.String(attribute.Key, TruncateText(attribute.Value.String()))
	}
	if err, ok := attribute.Value.Any().(error); ok {
		return slog.String(attribute.Key, TruncateText(err.Error()))
	}
	return attribute
}

// clientHandler handles the lines of client-go. It drops those for its developers, which
// --log-level=debug would show: that is for what this operator does.
type clientHandler struct{ slog.Handler }

// Enabled reports whether lines of a level are shown.
func (h clientHandler) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelInfo && h.Handler.Enabled(ctx, level)
}

// WithAttrs returns a handler of lines with attributes.
func (h clientHandler) WithAttrs(attributes []slog.Attr) slog.Handler {
	return clientHandler{h.Handler.WithAttrs(attributes)}
}

// WithGroup returns a handler of lines in a group.
func (h clientHandler) WithGroup(name string) slog.Handler {
	return clientHandler{h.Handler.WithGroup(name)}
}
