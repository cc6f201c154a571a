package operator_test

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/opgen-dev/opgen/runtime/operator"
)

// The API server takes the name of a run, whatever prefix it has.
func TestRunWithALongPrefixIsCreated(t *testing.T) {
	name := operator.Schedule{Tick: metav1.NewTime(time.Unix(1_790_000_040, 0))}.Name(strings.Repeat("long-", 48) + "name")
	o := startEntries(t, func(_ *entriesRequest, want *entriesDesired) { want.Backups.Add(runJob(name), operator.CreateOnly) }, nil)
	o.Create(o.site)
	o.Exists(runJob(name))
}
