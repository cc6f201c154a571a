package operator

import (
	"k8s.io/apimachinery/pkg/types"

	"github.com/opgen-dev/opgen/runtime/internal/process"
)

// Trigger has parents reconciled for a reason that no watch shows, such as a call of a failover hook.
// The zero value is ready for use. [WithTriggers] gives it to a controller.
//
// It carries no data: Sync finds out what is the case, as in any other reconcile. For what has to be
// asked again and again there is [Poller].
type Trigger struct{ receivers process.Receivers }

// Reconcile has the parent of this name reconciled soon, also if it waits for a retry. It does not
// block. If there is no such parent, nothing happens. While no controller works, as in a replica that
// does not lead, nothing happens either: a controller reconciles all parents when it starts.
func (t *Trigger) Reconcile(parent types.NamespacedName) { t.receivers.Reconcile(parent) }

func (t *Trigger) source() process.Source { return &t.receivers }

// TriggerSource is a [Trigger] or a [Poller].
type TriggerSource interface{ source() process.Source }

// WithTriggers returns the controller with sources that have its parents reconciled, beside all that
// the controller watches. Controllers may share a source.
func WithTriggers(controller Controller, sources ...TriggerSource) Controller {
	for _, added := range sources {
		controller = controller.WithSources(added.source())
	}
	return controller
}
