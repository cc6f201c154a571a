package apply

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Key is the kind and name of a child.
type Key struct {
	Kind schema.GroupVersionKind
	Name types.NamespacedName
}

// String returns the child as messages name it, such as "Pod default/web".
func (k Key) String() string {
	if k.Name.Namespace == "" {
		return k.Kind.Kind + " " + k.Name.Name
	}
	return k.Kind.Kind + " " + k.Name.String()
}

// compare orders keys.
func (k Key) compare(other Key) int {
	return cmp.Or(
		strings.Compare(k.Name.Name, other.Name.Name),
		strings.Compare(k.Name.Namespace, other.Name.Namespace),
		strings.Compare(k.Kind.Kind, other.Kind.Kind),
		strings.Compare(k.Kind.Group, other.Kind.Group),
		strings.Compare(k.Kind.Version, other.Kind.Version),
	)
}

// AppliedState holds the last known state of each child of one parent. The zero value is empty. It
// is not safe for concurrent use.
type AppliedState struct {
	children []*appliedChild // sorted by key; most parents have few children
	budgets  map[Key]*budget
}

// appliedChild is a version of a child that was compared with a desired state.
type appliedChild struct {
	key     Key
	uid     types.UID
	digest  string // of the desired state
	hash    string // of the desired state, as the child carries it
	input   uint64 // that the desired state was made from
	version string // the child's resource version; empty: it was not compared
	removed bool   // this operator deleted the child
	record  string // of the fields that the child keeps since it was adopted as it is
	desired string // the desired state, as the child keeps it in an annotation

	leftOutdated bool   // the child has another desired state and keeps it
	leftValues   digest // of the values that we own in a child that is left outdated

	entry        string   // of our field manager in managedFields
	extraCreated uint64   // hash of the paths that a create set and that are not desired
	altered      *altered // what the API server altered; nil: nothing
	differing    string   // the fields that nobody desires and that a new child would have otherwise; see lagging.go
}

// Keep drops the state of every child that is not in keys.
func (m *AppliedState) Keep(now time.Time, keys map[Key]bool) {
	m.dropIdleBudgets(now, keys)
	m.children = slices.DeleteFunc(m.children, func(child *appliedChild) bool { return !keys[child.key] })
}

// Copy returns the state of one child, for an apply that runs in parallel with others.
func (m *AppliedState) Copy(key Key) *AppliedState {
	part := new(AppliedState)
	if last := m.child(key); last != nil {
		copied := *last
		part.children = []*appliedChild{&copied}
	}
	if b := m.budgets[key]; b != nil {
		copied := *b
		copied.written = maps.Clone(b.written)
		part.budgets = map[Key]*budget{key: &copied}
	}
	return part
}

// Put takes over the states of the children that another has.
func (m *AppliedState) Put(part *AppliedState) {
	for _, child := range part.children {
		m.setChild(child)
	}
	for key, b := range part.budgets {
		*m.budgetOf(key) = *b
	}
}

// MarkDeleted records that this operator deleted a child in order to create it again.
func (m *AppliedState) MarkDeleted(key Key) {
	if last := m.child(key); last != nil {
		last.removed = true
	}
}

// child returns the state of a child. It is nil if there is none.
func (m *AppliedState) child(key Key) *appliedChild {
	if i, found := m.indexOfChild(key); found {
		return m.children[i]
	}
	return nil
}

// childWithUID returns the state of a child. It is nil if that is of an object with another UID.
func (m *AppliedState) childWithUID(key Key, live client.Object) *appliedChild {
	if last := m.child(key); last != nil && last.uid == live.GetUID() {
		return last
	}
	return nil
}

// alteredPaths returns the paths at which the API server altered the child.
func (m *AppliedState) alteredPaths(d Desired) []string {
	if last := m.child(d.Key()); last != nil && last.altered != nil {
		return last.altered.paths
	}
	return nil
}

// isLeftOutdated reports whether the child keeps an earlier desired state, because changes reach
// it only when someone deletes it.
func (m *AppliedState) isLeftOutdated(d Desired) bool {
	last, rules := m.child(d.Key()), d.Update.Rules()
	return last != nil && last.leftOutdated && rules.RepairsDrift && !rules.WritesChanges
}

// setChild replaces the state of a child.
func (m *AppliedState) setChild(child *appliedChild) {
	i, found := m.indexOfChild(child.key)
	if found {
		m.children[i] = child
		return
	}
	m.children = slices.Insert(m.children, i, child)
}

func (m *AppliedState) indexOfChild(key Key) (int, bool) {
	return slices.BinarySearchFunc(m.children, key, func(child *appliedChild, key Key) int { return child.key.compare(key) })
}
