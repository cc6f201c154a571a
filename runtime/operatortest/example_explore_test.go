package operatortest_test

import (
	"context"
	"errors"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

// A function makes parents, and Explore does the rest.
func ExampleExplore() {
	testExplore = func(t *testing.T, config operatortest.Config) { // func TestExplore(t *testing.T)
		operatortest.Explore(t, config, operatortest.Life{
			Parents: operatortest.ParentsOf(func(name string) *Ledger {
				return &Ledger{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: LedgerSpec{Text: "hello"}}
			}),
		})
	}
}

var testExplore func(*testing.T, operatortest.Config)

func TestExploreFindsNothingWrongWithALedger(t *testing.T) {
	t.Parallel()
	ExampleExplore()
	testExplore(t, ledgerConfig(copyOut))
}

// TestExploreLetsSyncFollowItsChildren explores a Sync that answers otherwise once a child exists, and
// when it was recreated.
func TestExploreLetsSyncFollowItsChildren(t *testing.T) {
	t.Parallel()
	operatortest.Explore(t, ledgerConfig(func(_ context.Context, req *ledgerRequest) (*ledgerResponse, error) {
		want, name := new(ledgerChildren), req.Parent.Name
		first, seen := textMap(name, req.Parent.Spec.Text), "nobody"
		if found, ok := req.Children.ConfigMaps.Get(name); ok {
			seen = string(found.UID)
		} else {
			first.Annotations = map[string]string{"example.com/is-new": "yes"}
		}
		want.ConfigMaps.Add(first)
		want.ConfigMaps.Add(textMap(name+"-seen", seen))
		return &ledgerResponse{Children: want, Status: &LedgerStatus{Phase: "Copied"}}, nil
	}), ledgerLife())
}

// TestExploreLeavesOutWhatOthersComeAfter explores children that come after others, each named in another way, of which the
// exploration leaves out one at a time.
func TestExploreLeavesOutWhatOthersComeAfter(t *testing.T) {
	t.Parallel()
	operatortest.Explore(t, ledgerConfig(func(_ context.Context, req *ledgerRequest) (*ledgerResponse, error) {
		want, name := new(ledgerChildren), req.Parent.Name
		first, second, third := textMap(name, "one"), textMap(name+"-2", "two"), textMap(name+"-3", "three")
		named := textMap(name, "")
		named.Namespace = req.Parent.Namespace
		want.ConfigMaps.Add(first)
		want.ConfigMaps.Add(second, operator.After(named))
		want.ConfigMaps.Add(third, operator.CreateAfter(first, textMap(name+"-2", "")), operator.Replaces(textMap(name+"-old", "")))
		return &ledgerResponse{Children: want, Status: &LedgerStatus{Phase: "Copied"}}, nil
	}), ledgerLife())
}

func TestExploreIsSkippedWhileSyncDesiresNoChildren(t *testing.T) {
	t.Parallel()
	t.Run("explore", func(t *testing.T) {
		t.Cleanup(func() {
			if !t.Skipped() {
				t.Error("the exploration was not skipped")
			}
		})
		operatortest.Explore(t, ledgerConfig(func(context.Context, *ledgerRequest) (*ledgerResponse, error) {
			return &ledgerResponse{Children: new(ledgerChildren), Status: new(LedgerStatus)}, nil
		}), ledgerLife())
	})
}

// exploreAFailure explores an operator of which no Sync succeeds.
func exploreAFailure(t *testing.T) {
	operatortest.Explore(t, ledgerConfig(func(context.Context, *ledgerRequest) (*ledgerResponse, error) {
		return nil, errors.New("the bank is closed")
	}), ledgerLife())
}

func TestExploreFailsIfSyncFails(t *testing.T) {
	expectFailure(t, "failure", "the bank is closed")
}
