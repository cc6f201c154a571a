package operator

import (
	"maps"

	"k8s.io/apimachinery/pkg/types"

	"github.com/opgen-dev/opgen/runtime/internal/health"
)

// Health is the state of a child, and why it is not ready: what [Snapshot.Health] returns. Message is
// a short phrase that continues the child's name, such as "is rolling out", and empty when the child
// is ready. Since is when a child has failed, as far as its own status says so.
type Health = health.Health

// HealthState is how a child is.
type HealthState = health.State

const (
	// HealthReady is the state of a child that works, or has completed.
	HealthReady = health.Ready
	// HealthInProgress is the state of a child that gets ready by itself, and of one that is missing.
	HealthInProgress = health.InProgress
	// HealthFailed is the state of a child that does not get ready without a change.
	HealthFailed = health.Failed
)

// Ready reports whether the child with this name exists and is healthy: a Deployment is rolled out, a
// Pod is ready, a Job is complete, a custom resource has Ready=True or its kind has no status
// subresource, and what has no notion of health exists; unless the spec file says readyWhen. It takes
// names as Get does.
func (s Snapshot[T]) Ready(name string) bool { return s.Health(name).State == HealthReady }

// Finished reports whether the child with this name exists and has finished: a Job is complete or has
// failed, a Pod succeeded or failed; unless the spec file says finishedWhen. Other kinds never finish. It
// takes names as Get does.
func (s Snapshot[T]) Finished(name string) bool {
	i, ok := s.find(name)
	return ok && s.rules.IsFinished(s.items[i])
}

// Failed reports whether the child with this name has failed, and since when and why: a Job has the
// condition Failed, a Deployment has exceeded its progress deadline, a Pod is in phase Failed, a
// PersistentVolumeClaim has lost its volume, or a custom resource has Stalled=True. It takes names as
// Get does.
//
// Since is the transition of that condition, or when the last container of the Pod terminated. It is
// zero where the child does not say.
func (s Snapshot[T]) Failed(name string) (Health, bool) {
	failure := s.Health(name)
	return failure, failure.State == HealthFailed
}

// Health returns the health of the child with this name. Ready and the Ready condition of the parent
// go by it, and the latter by [ReadyIf], too. It takes names as Get does.
func (s Snapshot[T]) Health(name string) Health {
	i, ok := s.find(name)
	if !ok {
		return Health{State: HealthInProgress, Message: "is missing"}
	}
	return s.rules.Of(s.items[i])
}

// WithoutStatus returns the snapshot of a kind that has no status subresource, for tests of Sync: its
// objects are ready when they exist.
func (s Snapshot[T]) WithoutStatus() Snapshot[T] {
	s.rules.LacksStatus = true
	return s
}

// Outdated reports whether the child with this name was made from another desired state than Sync
// desires: a change of an [OnDelete] child waits until somebody deletes the child, and in a rolling
// update each child waits for its turn. A child that waits for others, by [After], is outdated, too.
// So is one whose change is written after this call of Sync. A child that is not desired or is being
// deleted is not outdated, and neither is one with [CreateOnly]. It takes names as Get does.
//
// The hash that each child carries tells it. What Sync desires is known once it has returned, so that
// Outdated goes by what the call before returned. If Sync has asked, and something else is true of
// what it desires now, the runtime carries nothing of that out, and calls Sync once more. That happens
// when the desired state changes, and when the operator starts. Base the status on Outdated, or an option
// such as [RecreateIf], but not the desired state of a child.
func (s Snapshot[T]) Outdated(name string) bool {
	if s.readOutdated != nil {
		s.readOutdated.Store(true)
	}
	if _, ok := s.find(name); !ok {
		return false
	}
	key, _ := s.keyOf(name)
	return s.outdated[key]
}

// WithOutdated returns the snapshot with children of these names that are outdated, for tests of
// Sync. A name may be written as namespace/name.
func (s Snapshot[T]) WithOutdated(names ...string) Snapshot[T] {
	outdated := map[types.NamespacedName]bool{}
	maps.Copy(outdated, s.outdated)
	for _, name := range names {
		key, _ := s.keyOf(name)
		outdated[key] = true
	}
	s.outdated = outdated
	return s
}
