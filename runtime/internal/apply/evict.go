package apply

import (
	"context"
	"errors"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/backoff"
)

// ErrEvictionRefused says that a PodDisruptionBudget does not allow the eviction of a Pod now.
type ErrEvictionRefused struct {
	Reason string // in the words of the API server
	err    error
}

func (e ErrEvictionRefused) Error() string {
	return "a PodDisruptionBudget refuses the eviction: " + e.Reason
}

// Unwrap returns the API server's own error.
func (e ErrEvictionRefused) Unwrap() error { return e.err }

// Evict deletes the Pod that was observed by its eviction, as [Applier.Delete] deletes a child. evictions
// is the client of the subresource. Evict returns [ErrEvictionRefused] if a PodDisruptionBudget does not
// allow the eviction now.
func Evict(ctx context.Context, evictions client.SubResourceWriter, key Key, observed client.Object, propagation metav1.DeletionPropagation) (bool, error) {
	meta := metav1.ObjectMeta{Namespace: key.Name.Namespace, Name: key.Name.Name}
	uid, version := observed.GetUID(), observed.GetResourceVersion()
	err := evictions.Create(ctx, &corev1.Pod{ObjectMeta: meta}, &policyv1.Eviction{ObjectMeta: meta, DeleteOptions: &metav1.DeleteOptions{
		Preconditions: &metav1.Preconditions{UID: &uid, ResourceVersion: &version}, PropagationPolicy: &propagation,
	}})
	if reason, isRefused := refusalOfBudget(err); isRefused {
		return false, ErrEvictionRefused{Reason: reason, err: err}
	}
	return deletionResult(key, err)
}

// refusalOfBudget returns what a PodDisruptionBudget says in the refusal of an eviction.
func refusalOfBudget(err error) (reason string, isRefused bool) {
	status, ok := errors.AsType[*apierrors.StatusError](err)
	if !ok || !apierrors.IsTooManyRequests(err) || status.Status().Details == nil {
		return "", false
	}
	var reasons []string
	for _, cause := range status.Status().Details.Causes {
		if cause.Type == policyv1.DisruptionBudgetCause {
			reasons = append(reasons, cause.Message)
		}
	}
	return strings.Join(reasons, "; "), len(reasons) > 0
}

// RefusedEviction returns the refusal of the last eviction of an observed child, while the next one is not
// due. It reports false if there is none, or if the child need not be recreated any more.
func (m *AppliedState) RefusedEviction(now time.Time, d Desired, observed client.Object) (backoff.Failed, bool) {
	b := m.budgets[d.Key()]
	if b == nil || observed == nil {
		return backoff.Failed{}, false
	}
	failed, isPutOff := errors.AsType[backoff.Failed](b.deletion.Replay(now, deleted, observed.GetUID()))
	isDrifted := b.replaced == observed.GetUID() && b.State() == d.digest
	return failed, isPutOff && errors.As(failed, new(ErrEvictionRefused)) && (isDrifted || d.IsOutdated(observed))
}
