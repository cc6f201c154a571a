package operatortest

import (
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/cel"
	"github.com/opgen-dev/opgen/runtime/operator"
)

// ReadyWhen returns a snapshot of objects for a case of Sync, as the runtime makes it for a kind
// with readyWhen in its spec file: the rule decides which objects are Ready.
func ReadyWhen[T client.Object](rule string, objects ...T) operator.Snapshot[T] {
	return operator.NewSnapshot(objects...).ReadyWhen(cel.Rule(rule))
}
