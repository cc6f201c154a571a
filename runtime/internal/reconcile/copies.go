package reconcile

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

// reasonCopy is the reason of an Event about the copy of a child.
const reasonCopy = "CopyOfChild"

// warnAboutCopies records an Event and logs a line for each object that has the marks of a child of
// this parent, and is none since somebody else wrote them.
func (r *run) warnAboutCopies(ctx context.Context, copies []child) {
	for _, copied := range copies {
		text := fmt.Sprintf("%s is a copy of a child, whose labels and references %s wrote: it is left alone", copied.key(), r.loop.childCache.copiedBy(copied.object))
		if r.state.eventTexts.isNew(text, r.now) {
			log.FromContext(ctx).Info("copy of a child", "what", text)
			r.recordEvent(corev1.EventTypeNormal, reasonCopy, truncateText(text))
		}
	}
}
