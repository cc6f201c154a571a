package reconcile

import (
	"time"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/opgen-dev/opgen/runtime/internal/declared"
	"github.com/opgen-dev/opgen/runtime/internal/status"
)

// Definition describes a controller as operator.Definition does, which documents the fields.
// It has no type parameters.
type Definition struct {
	Name, Group    string
	Parents        []declared.ParentKind
	Schemes        runtime.SchemeBuilder
	Children       []declared.ChildKind
	Related        []declared.RelatedKind
	IsOrdered      bool // the children of a deleted parent go in order
	ParentMetadata bool
	Retries        int
	Timeout        time.Duration
	Workers        int // 0: as the options say
	Metrics        []declared.Metric
	Status         *status.Access // nil: the runtime writes no status
	// ForbidPause and ForbidDisconnect take their effect from annotations of users.
	ForbidPause, ForbidDisconnect bool
	TakeOverFrom                  []string
	Author                        declared.Author
}
