package apply

import (
	"maps"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
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

// Memo remembers of each child of one parent what was last known to be right.
// It is for one goroutine at a time.
type Memo map[Key]*verified

// verified is a state of a child that was compared with a desired state.
type verified struct {
	uid      types.UID
	desired  string // hash of the desired state
	input    uint64 // that it was made from
	version  string // resource version
	outdated bool   // it does not fulfil the desired state, and is to stay so
	created  bool   // it is as it was created, and what follows but others is not known

	generation int64
	metadata   sum  // our paths, and our values in the metadata
	values     sum  // our values elsewhere
	summed     bool // values is known
	others     uint64

	fight *fight // over this desired state
}

// Keep forgets every child but those in keys.
func (m Memo) Keep(keys map[Key]bool) {
	maps.DeleteFunc(m, func(key Key, _ *verified) bool { return !keys[key] })
}

// of returns what is remembered of a child; nil of one with another UID.
func (m Memo) of(key Key, live client.Object) *verified {
	if last := m[key]; last != nil && last.uid == live.GetUID() {
		return last
	}
	return nil
}

// fightOf returns the fight over a desired state, which outlives the child.
func (m Memo) fightOf(d Desired) *fight {
	if last := m[d.Key()]; last != nil && last.desired == d.Hash {
		return last.fight
	}
	return nil
}

// verdict is what is known about a child without any call.
type verdict int

const (
	converged verdict = iota
	changed           // the desired state is another, or unknown
	drifted           // someone changed what we own
	unstamped         // it may be of another desired state, which it is to keep then
)

// judge compares a child with its desired state without any call.
func (a *Applier) judge(memo Memo, d Desired, live client.Object) (verdict, error) {
	last := memo.of(d.Key(), live)
	if last != nil && last.desired == d.Hash {
		last.input = d.Input
		if last.version == live.GetResourceVersion() && (!last.outdated || d.Strategy == OnDelete) {
			return converged, nil
		}
	}
	fulfilled := last != nil && last.desired == d.Hash && !last.outdated
	stamp := live.GetAnnotations()[d.HashKey]
	switch {
	case d.Strategy == OnDelete && stamp != d.Hash && !fulfilled:
		return a.judgeOutdated(memo, d, live, stamp)
	case fulfilled:
		return a.compare(memo, last, d, live)
	case last != nil && !last.outdated:
		return changed, nil
	}
	return a.recognize(memo, d, live, stamp)
}

// compare tells whether what we own is still what it was.
func (a *Applier) compare(memo Memo, last *verified, d Desired, live client.Object) (verdict, error) {
	v := a.look(d, live)
	if last.created {
		if d.stamped() && live.GetAnnotations()[d.HashKey] != d.Hash || !v.covers(d) {
			return drifted, nil
		}
		return converged, a.rememberView(memo, d, v)
	}
	metadata, err := v.metadata()
	if err != nil || metadata != last.metadata {
		return drifted, err
	}
	generation := live.GetGeneration()
	if !a.Metadata && (generation == 0 || generation != last.generation) {
		values, err := v.values(d.content())
		switch {
		case err != nil:
			return changed, err
		case last.summed && values != last.values:
			return drifted, nil
		case !last.summed && !v.matches(d):
			return changed, nil // or normalised: the answer to an apply tells
		}
		last.values, last.summed = values, true
	}
	last.version, last.generation, last.others = live.GetResourceVersion(), generation, v.others
	return converged, nil
}

// recognize judges a child of which nothing is remembered, as after a restart.
// One that carries the hash is as desired, unless we have lost a path: whoever
// else changes a value takes its path away. One without was written by an older
// version, and is compared value by value.
func (a *Applier) recognize(memo Memo, d Desired, live client.Object, stamp string) (verdict, error) {
	v := a.look(d, live)
	switch {
	case stamp == d.Hash && !v.covers(d):
		return drifted, nil
	case stamp == d.Hash, stamp == "" && d.Strategy != Recreate && !d.Rolls && v.matches(d):
		return converged, a.rememberView(memo, d, v)
	}
	return changed, nil
}

// judgeOutdated judges a child that changes reach only when someone deletes it.
func (a *Applier) judgeOutdated(memo Memo, d Desired, live client.Object, stamp string) (verdict, error) {
	v := a.look(d, live)
	metadata, err := v.metadata()
	if err != nil {
		return changed, err
	}
	last := memo.of(d.Key(), live)
	switch {
	case last != nil && last.outdated && last.desired == d.Hash && last.metadata == metadata:
		last.version = live.GetResourceVersion()
		return converged, nil
	case v.matches(d):
		return changed, nil // as desired, and not known to be: stamp it
	case stamp == "":
		return unstamped, nil
	}
	return converged, a.leave(memo, d, live)
}

// leave records that a child is of another desired state, and stays so.
func (a *Applier) leave(memo Memo, d Desired, live client.Object) error {
	metadata, err := a.look(d, live).metadata()
	memo[d.Key()] = &verified{uid: live.GetUID(), desired: d.Hash, input: d.Input, version: live.GetResourceVersion(), outdated: true, metadata: metadata}
	return err
}

// rememberCreated records that a child was created as it is desired. Most are
// never changed by anybody, so that what we own in it is looked at when it is.
func (a *Applier) rememberCreated(memo Memo, d Desired, live client.Object) {
	memo[d.Key()] = &verified{
		uid: live.GetUID(), desired: d.Hash, input: d.Input, version: live.GetResourceVersion(), created: true,
		others: a.look(d, live).others, fight: memo.fightOf(d),
	}
}

// remember records that a child fulfils its desired state now. The values of a
// kind that counts its generations are summed up when they first change.
func (a *Applier) remember(memo Memo, d Desired, live client.Object) error {
	return a.rememberView(memo, d, a.look(d, live))
}

func (a *Applier) rememberView(memo Memo, d Desired, v view) error {
	live := v.object
	metadata, err := v.metadata()
	if err != nil {
		return err
	}
	now := &verified{
		uid: live.GetUID(), desired: d.Hash, input: d.Input, version: live.GetResourceVersion(), generation: live.GetGeneration(),
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
	memo[d.Key()] = now
	return nil
}

// covers tells whether we own every path that is desired.
func (v view) covers(d Desired) bool {
	if v.set == nil {
		return false
	}
	if v.raw != nil {
		return v.set.covers(d.fields(), nil, false)
	}
	content, err := contentOf(v.object)
	return err == nil && v.set.covers(d.fields(), content, true)
}

// matches tells whether the object is as desired, compared field by field at
// the paths that we own. A value that the API server normalises makes it false.
func (v view) matches(d Desired) bool {
	content, err := contentOf(v.object)
	if err != nil {
		return false
	}
	set := v.set.without("metadata", "annotations", d.HashKey)
	return v.set != nil && set.matches(d.fields(), content, clientgoscheme.Scheme.Recognizes(d.Kind))
}
