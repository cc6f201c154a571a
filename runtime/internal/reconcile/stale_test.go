package reconcile

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/opgen-dev/opgen/runtime/internal/apply"
	"github.com/opgen-dev/opgen/runtime/internal/related"
	"github.com/opgen-dev/opgen/runtime/internal/status"
)

func TestStaleErrors(t *testing.T) {
	stale := errChild{err: apply.ErrStale{}}
	for _, test := range []struct {
		name  string
		given error
		want  bool
	}{
		{"none", nil, false},
		{"a failure", errors.New("refused"), false},
		{"the parent has changed", errParentChanged, true},
		{"a write of the parent came too late", fmt.Errorf("write the finalizer: %w", errStale{errors.New("conflict")}), true},
		{"a child has changed", stale, true},
		{"the status was written meanwhile", fmt.Errorf("write the status: %w", status.ErrStale{}), true},
		{"a child was taken for absent", errRestored{}, true},
		{"a call was put off", errPutOff{"Sync"}, true},
		{"a watch is being opened", fmt.Errorf("read: %w", related.ErrFilling), true},
		{"the operator stops", errStale{context.Canceled}, true},
		{"a failure beside it", errors.Join(errors.New("refused"), stale), true},
		{"too many in a row", errConflicts{5, stale}, false},
		{"too many in a row, and a failure", errors.Join(errConflicts{5, stale}, errors.New("refused")), false},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := isStale(test.given); got != test.want {
				t.Errorf("stale = %v, want %v", got, test.want)
			}
		})
	}
}

func TestAStaleErrorHidesOthers(t *testing.T) {
	failure, stale := errors.New("refused"), errChild{err: apply.ErrStale{}}
	for _, test := range []struct {
		given []error
		want  string
	}{
		{nil, "<nil>"},
		{[]error{nil, nil}, "<nil>"},
		{[]error{failure, nil, failure}, "refused\nrefused"},
		{[]error{failure, errParentChanged}, "the parent keeps changing"},
		{[]error{nil, errParentChanged, stale, failure}, "the parent keeps changing"},
	} {
		if got := fmt.Sprint(staleOrJoined(test.given...)); got != test.want {
			t.Errorf("%v is %q, want %q", test.given, got, test.want)
		}
	}
}
