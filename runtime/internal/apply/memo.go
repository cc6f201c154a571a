package apply

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Key names a child.
type Key struct {
	Kind schema.GroupVersionKind
	Name types.NamespacedName
}

// String is the child as a message names it: "Pod default/web".
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

// Memo remembers of each child of one parent what was last known to be right. The
// zero value remembers nothing. It is for one goroutine at a time.
type Memo struct {
	children []*verified // by their keys: there is a memo for each parent, and most have few children
	budgets  map[Key]*budget
}

// verified is a state of a child that was compared with a desired state.
type verified struct {
	key      Key
	uid      types.UID
	desired  string // sums up the desired state
	stamp    string // the hash of it that the child carries
	input    uint64 // that it was made from
	version  string // resource version
	outdated bool   // it does not fulfil the desired state, and is to stay so
	removed  bool   // by this operator

	left    sum      // our values in a child that is outdated
	others  uint64   // what a plain create has set beside what is desired
	entries string   // ours in managedFields
	altered *altered // what the API server makes of the desired state; nil: nothing else
}

// Keep forgets every child but those in keys.
func (m *Memo) Keep(now time.Time, keys map[Key]bool) {
	m.keepBudgets(now, keys)
	m.children = slices.DeleteFunc(m.children, func(v *verified) bool { return !keys[v.key] })
}

// Removed notes that this operator has deleted a child, which is to be made anew.
func (m *Memo) Removed(key Key) {
	if last := m.last(key); last != nil {
		last.removed = true
	}
}

// last returns what is remembered of a child; nil when nothing is.
func (m *Memo) last(key Key) *verified {
	if i, found := m.find(key); found {
		return m.children[i]
	}
	return nil
}

// of returns what is remembered of a child; nil of one with another UID.
func (m *Memo) of(key Key, live client.Object) *verified {
	if last := m.last(key); last != nil && last.uid == live.GetUID() {
		return last
	}
	return nil
}

// alteredOf returns the paths at which a child is not as desired, since it was altered.
func (m *Memo) alteredOf(d Desired) []string {
	if last := m.last(d.Key()); last != nil && last.altered != nil {
		return last.altered.paths
	}
	return nil
}

// set remembers a child, and what was known of it no more.
func (m *Memo) set(now *verified) {
	i, found := m.find(now.key)
	if found {
		m.children[i] = now
		return
	}
	m.children = slices.Insert(m.children, i, now)
}

func (m *Memo) find(key Key) (int, bool) {
	return slices.BinarySearchFunc(m.children, key, func(v *verified, key Key) int { return v.key.compare(key) })
}

// remember records a child as the API server has answered a write of its whole
// desired state: what differs then, the API server or its admission has altered.
func (a *Applier) remember(now time.Time, memo *Memo, d Desired, answer client.Object) error {
	v := a.look(d, answer)
	altered, err := v.altered(now, d)
	if err == nil {
		a.record(memo, d, v, altered)
	}
	return err
}

// rememberPart records a child as the API server has answered a write of some of its
// values. Where it is not as desired, it was changed meanwhile: the version counts as
// never seen, and the next pass compares it.
func (a *Applier) rememberPart(memo *Memo, d Desired, answer client.Object) error {
	v := a.look(d, answer)
	differs, err := v.differences(d)
	if err != nil {
		return err
	}
	a.record(memo, d, v, nil)
	if len(differs) > 0 || !v.covers(d) {
		memo.last(d.Key()).version = ""
	}
	return nil
}

// record notes that a child was compared, and is as desired but for what is altered.
func (a *Applier) record(memo *Memo, d Desired, v *view, altered *altered) {
	live := v.object
	memo.set(&verified{
		key: d.Key(), uid: live.GetUID(), desired: d.state, stamp: d.Hash, input: d.Input, version: live.GetResourceVersion(),
		others: v.others, entries: a.shapes.share(v), altered: altered,
	})
}
