package reconcile

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/opgen-dev/opgen/runtime/internal/backoff"
	"github.com/opgen-dev/opgen/runtime/internal/declared"
)

// recordEvents records the author's Events on the parent, and one about the error of this
// reconcile. It does not repeat those of the last reconcile.
func (r *run) recordEvents(author []declared.Event, err error) {
	for _, event := range author {
		if !slices.Contains(r.state.events, event) {
			r.recordEvent(cmp.Or(event.Type, corev1.EventTypeNormal), event.Reason, truncateText(event.Message))
		}
	}
	r.state.events = slices.Clone(author)
	if err != nil && !r.isHidden(err) && r.state.eventTexts.isNew(errorMessage(err), r.now) {
		r.recordEvent(corev1.EventTypeWarning, errorReason(err), errorMessage(err))
	}
}

// warnAboutConflicts records an Event and logs a line for each conflict, as often as for
// errors. It is for conflicts that no condition shows.
func (r *run) warnAboutConflicts(ctx context.Context, conflicts ...string) {
	for _, text := range conflicts {
		if r.state.eventTexts.isNew(text, r.now) {
			log.FromContext(ctx).Info("field manager conflict", "what", text)
			r.recordEvent(corev1.EventTypeWarning, reasonConflict, truncateText(text))
		}
	}
}

// recordEvent records one Event. The action contains a hash of the note: Events that differ
// only in their notes would be counted as one, and shown with the first one's note.
func (r *run) recordEvent(eventType, reason, note string) {
	hash := fnv.New32a()
	hash.Write([]byte(note))
	action := fmt.Sprintf("Sync-%08x", hash.Sum32())
	if r.loop.environment.Observe {
		return
	}
	r.loop.events.Eventf(r.parent, nil, eventType, reason, action, "%s", note)
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
