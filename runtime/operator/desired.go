package operator

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/declared"
)

// DesiredSet holds the desired children of one kind. Together the sets of a
// generated Desired struct are complete: a child that is in none of them is
// pruned. The zero value desires no child.
//
// The runtime fills in the owner reference and, for a namespaced parent, its
// namespace. A child elsewhere is an error unless the spec file allows it; see
// [ChildKind]. Fields that are not set are left to others: an API server's
// default, an autoscaler, another field manager.
type DesiredSet[T client.Object] struct {
	set declared.DesiredSet
}

// DesiredChild is one desired child, for tests of Sync: an Object or a Configuration, its Policies
// where they are not the kind's, and what the other options set: After, CreateAfter, Replaces,
// Recreate, HandOver, PartOfReady, NotReady (of ReadyIf), NotUpdated (of UpdateIf), UpdateLast, InPlace,
// Generate and WhenApplied.
type DesiredChild = declared.DesiredChild

// Add adds a desired child. It must have a name that no other desired child of its
// kind has; a child of a cluster-scoped parent must have its namespace, too.
func (s *DesiredSet[T]) Add(object T, options ...ChildOption) {
	s.set.Add(DesiredChild{Object: object}, options)
}

// Apply adds the desired child that an apply configuration describes. Unlike a
// typed object, it can set a field to its zero value.
func (s *DesiredSet[T]) Apply(configuration runtime.ApplyConfiguration, options ...ChildOption) {
	s.set.Add(DesiredChild{Configuration: configuration}, options)
}

// Keep leaves the children of these names as they are: they are neither
// changed nor pruned, nor created when they are absent. A child that does not lie
// in the parent's namespace is named as namespace/name, as each of a
// cluster-scoped parent that is in one.
func (s *DesiredSet[T]) Keep(names ...string) {
	s.set.Keep = append(s.set.Keep, names...)
}

// SetMaxUnavailable says how many of the children a rolling update lets be down at a time, whatever the
// spec file says by maxUnavailable: a number, or a percentage of the desired children, rounded down. At
// least one child may be down. The zero value is what the spec file says.
//
//	want.Pods.SetMaxUnavailable(shop.Spec.MaxUnavailable)
func (s *DesiredSet[T]) SetMaxUnavailable(limit intstr.IntOrString) {
	s.set.MaxUnavailable = ""
	if limit != (intstr.IntOrString{}) {
		s.set.MaxUnavailable = declared.MaxUnavailable(limit.String())
	}
}

// MaxUnavailable returns what SetMaxUnavailable was given, such as 2 or 25%, for tests of Sync.
func (s DesiredSet[T]) MaxUnavailable() string { return string(s.set.MaxUnavailable) }

// All yields the objects that were added, in order, for tests of Sync. It does
// not yield apply configurations.
func (s DesiredSet[T]) All() iter.Seq[T] {
	return func(yield func(T) bool) {
		for _, child := range s.set.Children {
			if object, ok := child.Object.(T); ok && !yield(object) {
				return
			}
		}
	}
}

// Get returns the added object with this name, or with this namespace/name, for
// tests of Sync. It panics if objects of several namespaces have the name.
func (s DesiredSet[T]) Get(name string) (child T, ok bool) {
	namespace, isNamed := "", false
	if before, after, found := strings.Cut(name, "/"); found {
		namespace, name, isNamed = before, after, true
	}
	for object := range s.All() {
		switch {
		case object.GetName() != name || isNamed && object.GetNamespace() != namespace:
		case ok && object.GetNamespace() != child.GetNamespace():
			panic(fmt.Sprintf("the name %q needs a namespace: objects of several have it; write namespace/name", name))
		case !ok:
			child, ok = object, true
		}
	}
	return child, ok
}

// Children returns everything that was added, in order, for tests of Sync.
func (s DesiredSet[T]) Children() []DesiredChild { return slices.Clone(s.set.Children) }

// Kept returns the names given to Keep, in order.
func (s DesiredSet[T]) Kept() []string { return slices.Clone(s.set.Keep) }

// Len returns the number of desired children.
func (s DesiredSet[T]) Len() int { return len(s.set.Children) }

// ChildOption says how one child differs from what its kind says. Every
// [UpdateStrategy], [AdoptionPolicy], [ImmutablePolicy] and [RecreationPolicy] is one, and [WhenDropped],
// [WhenDeleted], [After], [CreateAfter], [Replaces], [ReadyIf], [UpdateIf], [UpdateLast],
// [UpdateInPlace], [RecreateIf], [HandOver], [PartOfReady], [Generate] and [WhenApplied] make one.
type ChildOption = declared.ChildOption

// After has a child wait until these children of the same answer are ready: until
// then it is neither created nor changed, and nothing is pruned. Among children of
// one kind with a rolling strategy it says in which order they are made; a roll
// goes in the order in which they are added.
func After(objects ...client.Object) ChildOption {
	return declared.OptionFunc(func(child *DesiredChild) { child.After = append(child.After, objects...) })
}

// CreateAfter has the creation of a child wait until these children of the same answer are ready. Once
// the child exists, it is changed and repaired whatever becomes of them. While it is missing, nothing is
// pruned. A child that is to be recreated stays until these children are ready, since it is created
// again then.
func CreateAfter(objects ...client.Object) ChildOption {
	return declared.OptionFunc(func(child *DesiredChild) { child.CreateAfter = append(child.CreateAfter, objects...) })
}

// Replaces has a child that does not exist yet wait until these children are gone. Sync no longer
// desires them, and they go first, as whenDropped says: the new child needs what they hold, such as
// a node port, a host, or a place in a quota. They may be of any kind of children. One that does
// not exist counts as gone.
func Replaces(old ...client.Object) ChildOption {
	return declared.OptionFunc(func(child *DesiredChild) { child.Replaces = append(child.Replaces, old...) })
}

// ReadyIf has the child count as ready only if ok, beside what its kind and readyWhen require: for
// what Sync alone knows, such as that a replica has caught up. The Ready condition, rolling updates and
// After go by it in this reconcile. It changes nothing of the child.
//
// why says why the child is not ready, in a phrase that continues its name: "has not caught up". A
// child that is not ready by itself keeps its own message: one that is missing, is being deleted or
// recreated, waits for its turn, or has failed. ReadyIf makes no such child ready. Of several ReadyIf,
// the first that is not ok counts.
//
// Sync decides by what it observed before this reconcile changes the child. So compare that with what
// you desire: a replica that has caught up with the version before is not ready for the next one.
func ReadyIf(ok bool, why string) ChildOption {
	return declared.OptionFunc(func(child *DesiredChild) {
		if !ok && child.NotReady == "" {
			child.NotReady = cmp.Or(why, "is not ready")
		}
	})
}

// UpdateIf has a change of the desired state reach the child that exists only if ok, whatever its
// strategy. Until then the child keeps its version, and the parent is not ready. The child is created if
// it is missing, and an up-to-date child is repaired if somebody changes it. In a rolling update the
// others go on; the child counts among those that are down only if it is not ready. Of several UpdateIf,
// the first that is not ok counts. A child that is to keep its version for long, as below a partition,
// is added with [OnDelete] instead: then the parent is ready.
//
// why says why the change waits, in a phrase that continues "is outdated and": "is the primary",
// "waits for its backup".
func UpdateIf(ok bool, why string) ChildOption {
	return declared.OptionFunc(func(child *DesiredChild) {
		if !ok && child.NotUpdated == "" {
			child.NotUpdated = cmp.Or(why, "waits until Sync lets it change")
		}
	})
}

// UpdateLast has the turn of the child in a rolling update come after that of the others, such as that of
// the primary. Without it, turns come in the order in which the children are added.
func UpdateLast(is bool) ChildOption {
	return declared.OptionFunc(func(child *DesiredChild) { child.UpdateLast = is })
}

// UpdateInPlace has labels and annotations of the child be applied in place and at once, while the rest
// of a change waits for its turn, for Sync (UpdateIf) or for somebody who deletes the child (OnDelete), or
// recreates it. No child counts as outdated because of them, so that the label of the primary can move
// during a rolling update.
//
// The paths are those of the key inPlace in the spec file, in addition to which they count:
// .metadata.labels, .metadata.annotations, and single ones such as .metadata.labels.role. A dot in a
// name is written as \. as in .metadata.labels.example\.com/role.
func UpdateInPlace(paths ...string) ChildOption {
	return declared.OptionFunc(func(child *DesiredChild) { child.InPlace = append(child.InPlace, paths...) })
}

// RecreateIf has the child that exists deleted and created again if ok, whatever its
// strategy: it has failed, for example, which no change of the desired state would repair.
// Sync decides by what it observed of the child, so that the new one is not recreated, too.
// A child that needs it again and again is recreated less and less often.
func RecreateIf(ok bool) ChildOption {
	return declared.OptionFunc(func(child *DesiredChild) { child.Recreate = ok })
}

// PartOfReady says whether the parent is ready only if this child is, whatever the spec file says by
// partOfReady. Without it a backup that runs every night would make a database not Ready every night.
// Rolling updates, and children that come after this one, wait for it in any case.
func PartOfReady(is bool) ChildOption {
	return declared.OptionFunc(func(child *DesiredChild) { child.PartOfReady = &is })
}

// HandOver gives fields of the child to others while Sync leaves them out: the operator no longer
// owns them, and their values stay as they are. Otherwise a field that Sync stops setting is
// removed, so that the API server sets its default. Once Sync sets a field again, the operator
// applies and owns it again.
//
// The paths are those of the key handOver in the spec file, in addition to which they count:
// .spec.replicas, .spec.template.spec.nodeSelector, .metadata.annotations.example\.com/owner. A
// path may lead to an object, a list or an entry of a map, and not to an item of a list. Of the
// metadata, single labels, single annotations and the finalizers can be handed over.
//
//	if !shop.Spec.Autoscaled {
//		deployment.Spec.Replicas = &shop.Spec.Replicas
//	}
//	want.Deployments.Add(deployment, operator.HandOver(".spec.replicas"))
func HandOver(paths ...string) ChildOption {
	return declared.OptionFunc(func(child *DesiredChild) { child.HandOver = append(child.HandOver, paths...) })
}

// WhenApplied has record change the response once the child is applied: in this reconcile the
// API server has accepted it, or it was found as desired. The runtime calls record after it has
// applied all children, and before it writes the status. It does not call record when the child
// was refused, waits for another or for its turn, is being recreated, or keeps an older desired
// state under [OnDelete].
//
// What is only true once the child is written belongs into record, such as the time of a
// run: a status, a condition, an annotation of the parent, or an Event. What record changes in
// Children counts for nothing. A test of Sync calls record by operatortest.Run or
// operatortest.Applied.
//
//	want.Jobs.Add(job, operator.CreateOnly, operator.WhenApplied(func(response *Response) {
//		response.Status.LastRun = &schedule.Tick
//	}))
func WhenApplied[D, S any](record func(response *Response[D, S])) ChildOption {
	function := func(response any) error {
		typed, ok := response.(*Response[D, S])
		if !ok {
			return fmt.Errorf("WhenApplied has a function of %T, but the response is a %T", typed, response)
		}
		record(typed)
		return nil
	}
	return declared.OptionFunc(func(child *DesiredChild) { child.WhenApplied = append(child.WhenApplied, function) })
}
