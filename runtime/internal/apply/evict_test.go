package apply

import (
	"context"
	"errors"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/backoff"
)

// refusingEvictions answers each eviction with an error, and keeps the eviction.
type refusingEvictions struct {
	client.SubResourceWriter
	answer error
	sent   *policyv1.Eviction
}

func (e *refusingEvictions) Create(_ context.Context, _, eviction client.Object, _ ...client.SubResourceCreateOption) error {
	e.sent = eviction.(*policyv1.Eviction)
	return e.answer
}

// versioned returns an observed object with a hash.
func versioned(uid types.UID, hash string) client.Object {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{UID: uid, ResourceVersion: "7", Annotations: map[string]string{hashKey: hash}}}
}

// ofBudget returns the refusal of an eviction by a PodDisruptionBudget.
func ofBudget() error {
	refusal := apierrors.NewTooManyRequests("cannot evict", 0)
	refusal.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: policyv1.DisruptionBudgetCause, Message: "needs 3"}}
	return refusal
}

func TestAnswersToAnEviction(t *testing.T) {
	pods := schema.GroupResource{Resource: "pods"}
	for name, test := range map[string]struct {
		answer  error
		existed bool
		want    func(error) bool
	}{
		"accepted": {nil, true, func(err error) bool { return err == nil }},
		"gone":     {apierrors.NewNotFound(pods, "a"), false, func(err error) bool { return err == nil }},
		"changed":  {apierrors.NewConflict(pods, "a", errors.New("changed")), false, func(err error) bool { return errors.As(err, new(ErrStale)) }},
		"refused by a budget": {ofBudget(), false, func(err error) bool {
			return errors.As(err, new(ErrEvictionRefused)) && err.Error() == "a PodDisruptionBudget refuses the eviction: needs 3"
		}},
		"too many requests": {apierrors.NewTooManyRequests("slow down", 1), false, func(err error) bool {
			return apierrors.IsTooManyRequests(err) && !errors.As(err, new(ErrEvictionRefused))
		}},
		"forbidden": {apierrors.NewForbidden(pods, "a", nil), false, apierrors.IsForbidden},
	} {
		t.Run(name, func(t *testing.T) {
			evictions := &refusingEvictions{answer: test.answer}
			observed := versioned("uid", "")
			existed, err := Evict(t.Context(), evictions, Key{}, observed, metav1.DeletePropagationBackground)
			if existed != test.existed || !test.want(err) {
				t.Errorf("got %v, %v", existed, err)
			}
			if p := evictions.sent.DeleteOptions.Preconditions; *p.UID != "uid" || *p.ResourceVersion != "7" {
				t.Errorf("the preconditions are %v", p)
			}
		})
	}
}

func TestRefusedEvictionPutsOffTheNextOne(t *testing.T) {
	observed, other, latest := versioned("uid", "old"), versioned("other", "old"), versioned("uid", "latest")
	d := Desired{HashKey: hashKey, Hash: "latest", digest: "digest"}
	changed := d
	changed.Hash = "old"
	start := time.Now()
	for name, test := range map[string]struct {
		after    time.Duration
		refusal  error
		desired  Desired
		observed client.Object
		drifted  bool
		want     bool
	}{
		"at once":                           {0, ErrEvictionRefused{err: ofBudget()}, d, observed, false, true},
		"when it is due":                    {time.Second, ErrEvictionRefused{err: ofBudget()}, d, observed, false, false},
		"of another Pod of the name":        {0, ErrEvictionRefused{err: ofBudget()}, d, other, false, false},
		"of one that is up to date now":     {0, ErrEvictionRefused{err: ofBudget()}, changed, observed, false, false},
		"of one that has drifted":           {0, ErrEvictionRefused{err: ofBudget()}, d, latest, true, true},
		"of one that has drifted no longer": {0, ErrEvictionRefused{err: ofBudget()}, d, latest, false, false},
		"by another error":                  {0, ofBudget(), d, observed, false, false},
		"of one that is gone":               {0, ErrEvictionRefused{err: ofBudget()}, d, nil, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			state := new(AppliedState)
			err := state.Delete(start, d.Key(), observed, func() error { return test.refusal })
			if !errors.As(err, new(backoff.Failed)) {
				t.Fatalf("got %v", err)
			}
			if test.drifted {
				state.budgetOf(d.Key()).SetState(d.digest)
				state.budgetOf(d.Key()).replaced = latest.GetUID()
			}
			if _, got := state.RefusedEviction(start.Add(test.after), test.desired, test.observed); got != test.want {
				t.Errorf("it is put off: %v, want %v", got, test.want)
			}
		})
	}
}
