package operator

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
)

// record records the author's events on the parent, and one about the error of
// this pass. What was said already is not said again.
func (p *pass) record(author []Event, err error) {
	for _, event := range author {
		if !slices.Contains(p.state.events, event) {
			p.event(cmp.Or(event.Type, corev1.EventTypeNormal), event.Reason, cut(event.Message))
		}
	}
	p.state.events = slices.Clone(author)
	if err != nil && !p.mayPass(err) && p.state.said.first(message(err), p.now) {
		p.event(corev1.EventTypeWarning, reason(err), message(err))
	}
}

// warnOf tells of what others keep changing, where no condition does: by an Event and
// in the log, as often as of errors.
func (p *pass) warnOf(ctx context.Context, conflicts ...string) {
	for _, text := range conflicts {
		if p.state.said.first(text, p.now) {
			log.FromContext(ctx).Info("field manager conflict", "what", text)
			p.event(corev1.EventTypeWarning, reasonConflict, cut(text))
		}
	}
}

// event records one Event. Those that differ in nothing but their note would be
// counted as one and shown with the first one's note, so that the note has a
// part in the action.
func (p *pass) event(eventType, reason, note string) {
	hash := fnv.New32a()
	hash.Write([]byte(note))
	action := fmt.Sprintf("Sync-%08x", hash.Sum32())
	p.notes.Recorded(fmt.Sprintln(p.parent.GetUID(), p.parent.GetResourceVersion(), eventType, reason, action))
	p.events.Eventf(p.parent, nil, eventType, reason, action, "%s", note)
}

// said remembers which errors and conflicts of a parent an Event told of lately.
type said map[string]time.Time

const (
	sayAgain = time.Hour // which is also how long an API server keeps Events
	sayMost  = 10        // different errors in this time; the condition shows them all
)

// first tells whether an error is to be told of now.
func (s *said) first(text string, now time.Time) bool {
	maps.DeleteFunc(*s, func(_ string, at time.Time) bool { return now.Sub(at) >= sayAgain })
	if _, before := (*s)[text]; before || len(*s) >= sayMost {
		return false
	}
	if *s == nil {
		*s = said{}
	}
	(*s)[text] = now
	return true
}
