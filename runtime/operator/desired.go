package operator

import (
	"iter"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// DesiredSet holds the children of one kind that a parent wants. Together the
// sets of a generated Desired struct are complete: a child that is in none of
// them gets pruned. The zero value wants no child.
//
// The runtime fills in the owner reference and, for a namespaced parent, the
// namespace. Fields that are not set are left to others: an API server's
// default, an autoscaler, another field manager.
type DesiredSet[T client.Object] struct {
	set set
}

// set is what a DesiredSet holds, whatever its kind.
type set struct {
	children []Wanted
	keep     []string
}

// Wanted is one desired child: an object or an apply configuration.
type Wanted struct {
	Object        client.Object
	Configuration runtime.ApplyConfiguration
	Update        UpdateStrategy  // overrides the kind's, unless empty
	Adopt         AdoptionPolicy  // overrides the kind's, unless empty
	WhenRemoved   DeletionPolicy  // overrides the kind's WhenDropped and WhenDeleted, unless empty
	WhenImmutable ImmutablePolicy // overrides the kind's, unless empty
	After         []client.Object // desired children that must be ready before this one is written
	Replace       bool            // the child that exists is deleted and made anew
}

// Add wants this child. It must have a name, and a name may be wanted only
// once; a child of a cluster-scoped parent must say its namespace, too.
func (s *DesiredSet[T]) Add(object T, options ...ChildOption) {
	s.add(Wanted{Object: object}, options)
}

// Apply wants the child that this apply configuration describes. Unlike a
// typed object, it can ask for a field's zero value.
func (s *DesiredSet[T]) Apply(configuration runtime.ApplyConfiguration, options ...ChildOption) {
	s.add(Wanted{Configuration: configuration}, options)
}

// Keep leaves the children of these names as they are: they are neither
// changed nor pruned, nor made when they are absent. A child that does not lie
// in the parent's namespace is named as namespace/name, as each of a
// cluster-scoped parent that lies in one.
func (s *DesiredSet[T]) Keep(names ...string) {
	s.set.keep = append(s.set.keep, names...)
}

// All yields the objects that were added, in order, for tests of Sync. It does
// not yield apply configurations.
func (s DesiredSet[T]) All() iter.Seq[T] {
	return func(yield func(T) bool) {
		for _, child := range s.set.children {
			if object, ok := child.Object.(T); ok && !yield(object) {
				return
			}
		}
	}
}

// Get returns the first added object of this name, for tests of Sync.
func (s DesiredSet[T]) Get(name string) (child T, ok bool) {
	for object := range s.All() {
		if object.GetName() == name {
			return object, true
		}
	}
	return child, false
}

// Wanted returns everything that was added, in order, for tests of Sync.
func (s DesiredSet[T]) Wanted() []Wanted { return slices.Clone(s.set.children) }

// Kept returns the names given to Keep, in order.
func (s DesiredSet[T]) Kept() []string { return slices.Clone(s.set.keep) }

// Len returns the number of children that are wanted.
func (s DesiredSet[T]) Len() int { return len(s.set.children) }

func (s *DesiredSet[T]) add(child Wanted, options []ChildOption) {
	for _, option := range options {
		option.configure(&child)
	}
	s.set.children = append(s.set.children, child)
}

// ChildOption says how one child differs from what its kind says. Every
// [UpdateStrategy], [AdoptionPolicy], [DeletionPolicy] and [ImmutablePolicy] is
// one, and [After] and [ReplaceIf] make one.
type ChildOption interface {
	configure(*Wanted)
}

func (u UpdateStrategy) configure(child *Wanted) { child.Update = u }

func (p AdoptionPolicy) configure(child *Wanted) { child.Adopt = p }

func (p DeletionPolicy) configure(child *Wanted) { child.WhenRemoved = p }

func (p ImmutablePolicy) configure(child *Wanted) { child.WhenImmutable = p }

// After has a child wait until these children of the same answer are ready: until
// then it is neither created nor changed, and nothing is pruned. Among children of
// one kind with a rolling strategy it says in which order they are made; a roll
// goes in the order in which they are added.
func After(objects ...client.Object) ChildOption { return after(objects) }

type after []client.Object

func (a after) configure(child *Wanted) { child.After = append(child.After, a...) }

// ReplaceIf has the child that exists deleted and made anew if ok, whatever its
// strategy: it has failed, say, which no change of the desired state would mend. Sync
// decides by what it observed of the child, so that the new one is not replaced, too.
func ReplaceIf(ok bool) ChildOption { return replaceIf(ok) }

type replaceIf bool

func (r replaceIf) configure(child *Wanted) { child.Replace = bool(r) }
