package operatortest_test

import (
	"context"
	"errors"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/opgen-dev/opgen/runtime/operatortest"
)

// waitTooLong waits for a child that Sync, which fails, does not desire.
func waitTooLong(t *testing.T) {
	cluster := operatortest.Start(t, ledgerConfig(func(context.Context, *ledgerRequest) (*ledgerResponse, error) {
		return nil, errors.New("there is no such text")
	}))
	cluster.Create(&Ledger{ObjectMeta: metav1.ObjectMeta{Name: "web"}})
	cluster.Matches(textMap("web", "one"))
}

func TestAWaitThatTimesOutSaysWhatHappened(t *testing.T) {
	expectFailure(t, "too long",
		"is as expected: it does not exist",
		"Ledger web says:\n  Ready=False, SyncFailed: ", "  Reconciling=True, SyncFailed: ",
		"its latest Events:\n  Warning SyncFailed: ", "there is no such text",
		"the latest writes of the operator:\n  patch ledgers/status ")
}
