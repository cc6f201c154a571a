package operatortest

import (
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/cel"
	"github.com/opgen-dev/opgen/runtime/operator"
)

// ReadyWhen makes a snapshot of objects for a case of Sync, as the runtime makes
// it of a kind whose spec file says readyWhen: Ready goes by this rule.
func ReadyWhen[T client.Object](rule string, objects ...T) operator.Snapshot[T] {
	return operator.NewSnapshot(objects...).ReadyWhen(cel.Rule(rule))
}
