package reconcile

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/opgen-dev/opgen/runtime/internal/backoff"
	"github.com/opgen-dev/opgen/runtime/internal/declared"
)

// recordEvents records the author's Events on the parent, and one about the error of this
// reconcile. It does not repeat those of the last reconcile.
func (s *subject) recordEvents(author []declared.Event, err error) {
	for _, event := range author {
		if !slices.Contains(s.state.events, event) {
			s.recordEvent(cmp.Or(event.Type, corev1.EventTypeNormal), event.Reason, truncateText(event.Message))
		}
	}
	s.state.events = slices.Clone(author)
	if err != nil && !s.delaysReport(err) && s.state.eventTexts.isNew(errorMessage(err), s.now) {
		s.recordEvent(corev1.EventTypeWarning, errorReason(err), errorMessage(err))
	}
}

// warnAboutConflicts records an Event and logs a line for each conflict, as often as for
// errors. It is for conflicts that no condition shows.
func (s *subject) warnAboutConflicts(ctx context.Context, conflicts ...string) {
	for _, text := range conflicts {
		if s.state.eventTexts.isNew(text, s.now) {
			log.FromContext(ctx).Info("field manager conflict", "what", text)
			s.recordEvent(corev1.EventTypeWarning, reasonConflict, truncateText(text))
		}
	}
}

// warn records an Event of a reason and logs a line, as often as for errors.
func (s *subject) warn(ctx context.Context, reason, text string) {
	if s.logWarning(ctx, reason, text) {
		s.recordEvent(corev1.EventTypeWarning, reason, truncateText(text))
	}
}

// logWarning logs a line as often as warn does, and reports whether it did. It is for what many parents have in
// common, so that an Event for each would cost a request for each.
func (s *subject) logWarning(ctx context.Context, reason, text string) (isNew bool) {
	if isNew = s.state.eventTexts.isNew(text, s.now); isNew {
		slog.New(logr.ToSlogHandler(log.FromContext(ctx))).Warn("warning", "reason", reason, "what", text)
	}
	return isNew
}

// warnAboutUnreadable tells of a parent that does not decode. Nothing can be done for it, and its children stay.
func (s *subject) warnAboutUnreadable(ctx context.Context, err error) {
	text := "is not reconciled: " + err.Error()
	if s.isDeleting() && controllerutil.ContainsFinalizer(s.parent, s.loop.finalizer) {
		text = "is being deleted, and waits: " + err.Error() + "; without finalizer " + s.loop.finalizer + " it goes, and nothing is finalized"
	}
	s.warn(ctx, reasonUnreadable, text)
}

// recordEvent records one Event. The action contains a hash of the note: Events that differ
// only in their notes would be counted as one, and shown with the first one's note.
func (s *subject) recordEvent(eventType, reason, note string) {
	hash := fnv.New32a()
	hash.Write([]byte(note))
	action := fmt.Sprintf("Sync-%08x", hash.Sum32())
	if s.loop.environment.Observe {
		return
	}
	s.loop.events.Eventf(s.parent, nil, eventType, reason, action, "%s", note)
}

// eventTexts remembers which errors and conflicts of a parent had an Event lately.
type eventTexts map[string]time.Time

// isNew reports whether an error is to have an Event now, and remembers it.
func (e *eventTexts) isNew(text string, now time.Time) bool {
	maps.DeleteFunc(*e, func(_ string, at time.Time) bool { return now.Sub(at) >= backoff.RepeatEvent })
	if _, known := (*e)[text]; known || len(*e) >= backoff.MaxEvents {
		return false
	}
	if *e == nil {
		*e = eventTexts{}
	}
	(*e)[text] = now
	return true
}

// reasonCopy is the reason of an Event about the copy of a child.
const reasonCopy = "CopyOfChild"

// warnAboutCopies records an Event and logs a line for each object that has the marks of a child of
// this parent, and is none since somebody else wrote them.
func (s *subject) warnAboutCopies(ctx context.Context, copies []child) {
	for _, copied := range copies {
		text := fmt.Sprintf("%s is a copy of a child, whose labels and references %s wrote: it is left alone", copied.key(), s.loop.childCache.copiedBy(copied.object))
		if s.state.eventTexts.isNew(text, s.now) {
			log.FromContext(ctx).Info("copy of a child", "what", text)
			s.recordEvent(corev1.EventTypeNormal, reasonCopy, truncateText(text))
		}
	}
}
