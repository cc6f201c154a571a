package reconcile

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/opgen-dev/opgen/runtime/internal/backoff"
	"github.com/opgen-dev/opgen/runtime/internal/process"
)

// An advice about the operator's role is given for its own requests only, and names the namespace only where that may be
// the cause.
func TestAdviceOnRightsFollowsTheCause(t *testing.T) {
	const role, gone = "make deploy applies the generated role", "if namespace ns is being deleted"
	maps := schema.GroupResource{Resource: "configmaps"}
	right := apierrors.NewForbidden(maps, "a", errors.New(`User "op" cannot delete resource "configmaps" in API group "" in the namespace "ns"`))
	quota := apierrors.NewForbidden(maps, "a", errors.New("exceeded quota: few"))
	ending := apierrors.NewForbidden(maps, "a", errors.New("unable to create new content in namespace ns because it is being terminated"))
	grant := apierrors.NewForbidden(maps, "a", errors.New(`user "op" (groups=[]) is attempting to grant RBAC permissions not currently held`))
	var budget backoff.Budget
	for name, test := range map[string]struct {
		err              error
		deleted, limited bool
		advice           string
	}{
		"a child":                      {err: errChild{err: right}, advice: role},
		"a child and Sync":             {err: errors.Join(errors.New("boom"), errChild{err: right}), advice: role},
		"a deletion":                   {err: errDeletion{err: right}, advice: role},
		"a patch":                      {err: errPatch{err: right}, advice: role},
		"a related object":             {err: errRelated{right}, advice: role},
		"the brake":                    {err: errNotCounted{right}, advice: role},
		"the status":                   {err: fmt.Errorf("write the status: %w", budget.Fail(time.Now(), "", "", right)), advice: role},
		"a limited operator":           {err: errChild{err: right}, limited: true, advice: role},
		"a parent that is deleted":     {err: errChild{err: right}, deleted: true, advice: role},
		"and the operator is limited":  {err: errChild{err: right}, deleted: true, limited: true, advice: gone},
		"the author's own request":     {err: right},
		"a terminal one":               {err: ctrl.TerminalError(right)},
		"a quota":                      {err: errChild{err: quota}},
		"a quota, and the author":      {err: errors.Join(errChild{err: quota}, right)},
		"a namespace that is deleted":  {err: errChild{err: ending}, deleted: true, limited: true},
		"rights that are granted":      {err: errChild{err: grant}},
		"a conflict":                   {err: errChild{err: apierrors.NewConflict(maps, "a", errors.New("changed"))}},
		"an admission webhook":         {err: errChild{err: apierrors.NewForbidden(maps, "a", errors.New("no"))}},
		"nothing":                      {},
		"an API server without answer": {err: errChild{err: errors.New("connection refused")}},
	} {
		parent := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "web"}}
		if test.deleted {
			parent.DeletionTimestamp = new(metav1.Now())
		}
		environment := new(process.Environment)
		if test.limited {
			environment.Namespaces = []string{"ns"}
		}
		s := &subject{loop: &loop{environment: environment, finalizer: "demo/finalizer"}, parent: parent}
		got := s.explainRights(test.err)
		if test.advice == "" {
			if got != test.err { //nolint:errorlint // the same value
				t.Errorf("%s: an advice is given: %v", name, got)
			}
			continue
		}
		text := got.Error()
		if !strings.Contains(text, test.advice) || strings.Contains(text, gone) != (test.advice == gone) || !strings.Contains(text, right.Error()) || !errors.Is(got, test.err) && !process.LacksRight(got) {
			t.Errorf("%s: %v", name, got)
		}
		if again := s.explainRights(errors.Join(got, errChild{err: right})).Error(); strings.Count(again, "the operator's role does not allow it") != 1 {
			t.Errorf("%s: the advice is given twice: %s", name, again)
		}
	}
}
