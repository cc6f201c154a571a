package operator

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// record records the author's events on the parent, and one about the error of
// this pass. What the last pass said already is not said again.
func (p *pass) record(author []Event, err error) {
	for _, event := range author {
		if !slices.Contains(p.state.events, event) {
			p.events.Eventf(p.parent, nil, cmp.Or(event.Type, corev1.EventTypeNormal), event.Reason, "Sync", "%s", cut(event.Message))
		}
	}
	p.state.events = slices.Clone(author)
	if err != nil && p.state.failure.err != err.Error() {
		p.events.Eventf(p.parent, nil, corev1.EventTypeWarning, reason(err), "Sync", "%s", message(err))
	}
}
