package apply

import (
	"cmp"
	"slices"
	"strings"

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
}

// verified is a state of a child that was compared with a desired state.
type verified struct {
	key      Key
	uid      types.UID
	desired  string // hash of the desired state
	input    uint64 // that it was made from
	version  string // resource version
	outdated bool   // it does not fulfil the desired state, and is to stay so
	created  bool   // it is as it was created, and what follows but others is not known
	removed  bool   // by this operator

	generation int64
	metadata   sum  // our paths, and our values in the metadata
	values     sum  // our values elsewhere
	summed     bool // values is known
	others     uint64

	fight *fight // over this desired state
}

// Keep forgets every child but those in keys.
func (m *Memo) Keep(keys map[Key]bool) {
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

// fightOf returns the fight over a desired state, which outlives the child.
func (m *Memo) fightOf(d Desired) *fight {
	if last := m.last(d.Key()); last != nil && last.desired == d.Hash {
		return last.fight
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

// rememberCreated records that a child was created as it is desired. Most are
// never changed by anybody, so that what we own in it is looked at when it is;
// unless that is more than the cache has of it then.
func (a *Applier) rememberCreated(memo *Memo, d Desired, live client.Object) error {
	if a.Metadata {
		return a.remember(memo, d, live)
	}
	memo.set(&verified{
		key: d.Key(), uid: live.GetUID(), desired: d.Hash, input: d.Input, version: live.GetResourceVersion(), created: true,
		others: a.created(live).beyond(d.complete("", "")), fight: memo.fightOf(d),
	})
	return nil
}

// remember records that a child fulfils its desired state now. The values of a
// kind that counts its generations are summed up when they first change.
func (a *Applier) remember(memo *Memo, d Desired, live client.Object) error {
	return a.rememberView(memo, d, a.look(d, live))
}

func (a *Applier) rememberView(memo *Memo, d Desired, v *view) error {
	live := v.object
	metadata, err := v.metadata()
	if err != nil {
		return err
	}
	now := &verified{
		key: d.Key(), uid: live.GetUID(), desired: d.Hash, input: d.Input, version: live.GetResourceVersion(), generation: live.GetGeneration(),
		metadata: metadata, others: v.others, fight: memo.fightOf(d),
	}
	last := memo.of(d.Key(), live)
	again := last != nil && last.desired == d.Hash // it was compared before, in vain
	if !a.Metadata && (now.generation == 0 || again) {
		if now.values, err = v.values(d.content()); err != nil {
			return err
		}
		now.summed = true
	}
	memo.set(now)
	return nil
}
