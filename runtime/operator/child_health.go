package operator

import (
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/health"
)

// stateOf says how a child is, as this pass leaves it.
func (p *pass) stateOf(child child) health.Health {
	switch {
	case child.waits != "":
		return health.Health{State: health.InProgress, Message: child.waits}
	case child.replaced:
		return health.Health{State: health.InProgress, Message: "is being replaced"}
	case child.health != (health.Health{}):
		return child.health
	case child.object == nil:
		return health.Health{State: health.InProgress, Message: "is missing"}
	}
	return p.healthOf(child.childKind, child.object)
}

// healthOf judges a child by what the author says about its kind, or by the rules
// for its kind.
func (p *pass) healthOf(kind *childKind, object client.Object) health.Health {
	return healthOf(kind.ReadyWhen, object)
}

func healthOf(readyWhen readyRule, object client.Object) health.Health {
	if readyWhen == nil || object.GetDeletionTimestamp() != nil {
		return health.Of(object)
	}
	isReady, err := readyWhen(object)
	switch {
	case err != nil:
		return health.Health{State: health.InProgress, Message: "is not ready: " + err.Error()}
	case !isReady:
		return health.Health{State: health.InProgress, Message: "is not ready"}
	}
	return health.Health{State: health.Ready}
}
