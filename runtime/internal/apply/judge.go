package apply

import (
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// verdict is what is known about a child without any call.
type verdict int

const (
	converged verdict = iota
	changed           // the desired state is another, or unknown
	drifted           // someone changed what we own
	unsettled         // values differ from desired, and nobody knows since when or by whom
	unstamped         // it may be of another desired state, which it is to keep then
)

// known judges a child in a version that was compared before. It reports false for any
// other.
func (m *Memo) known(now time.Time, d Desired, live client.Object) (verdict, bool) {
	last := m.of(d.Key(), live)
	if last == nil || last.desired != d.state {
		return changed, false
	}
	if last.input != d.Input && !d.owns(live) {
		return changed, true
	}
	last.input = d.Input
	if last.version != live.GetResourceVersion() || last.outdated && d.Strategy != OnDelete {
		return changed, false
	}
	return last.altered.verdict(now), true
}

// judge compares a child with its desired state without any call. A version of a child
// counts as verified once its values were compared, and not before.
func (a *Applier) judge(now time.Time, memo *Memo, d Desired, live client.Object) (verdict, error) {
	if verdict, ok := memo.known(now, d, live); ok {
		return verdict, nil
	}
	last := memo.of(d.Key(), live)
	fulfilled := last != nil && last.desired == d.state && !last.outdated
	stamp := live.GetAnnotations()[d.HashKey]
	switch {
	case d.Strategy == OnDelete && d.IsOutdated(live) && !fulfilled:
		return a.judgeOutdated(memo, d, live, stamp)
	case fulfilled:
		return a.compare(now, memo, last, d, live)
	case last != nil && !last.outdated:
		return changed, nil
	}
	return a.recognize(memo, d, live, stamp)
}

// compare compares a child that was as desired with what is desired.
func (a *Applier) compare(now time.Time, memo *Memo, last *verified, d Desired, live client.Object) (verdict, error) {
	v := a.look(d, live)
	if d.stamped() && live.GetAnnotations()[d.HashKey] != d.Hash || !v.covers(d) {
		return drifted, nil
	}
	differs, err := v.differences(d)
	if err != nil {
		return changed, err
	}
	altered := last.altered
	if len(differs) == 0 {
		altered = nil
	} else if same, err := v.isAsAltered(d, altered); err != nil || !same {
		return drifted, err
	}
	a.record(memo, d, v, altered)
	return altered.verdict(now), nil
}

// recognize judges a child of which nothing is remembered, as after a restart. One
// without a hash was written by an older version.
func (a *Applier) recognize(memo *Memo, d Desired, live client.Object, stamp string) (verdict, error) {
	known := stamp == d.Hash || stamp == "" && d.Strategy != Recreate && !d.Rolls
	if !known || !d.owns(live) {
		return changed, nil
	}
	v := a.look(d, live)
	covers := v.covers(d)
	differs, err := v.differences(d)
	switch {
	case err != nil:
		return changed, err
	case covers && len(differs) == 0 && (stamp == d.Hash || v.others == 0):
		a.record(memo, d, v, nil)
		return converged, nil
	case stamp != d.Hash:
		return changed, nil
	case !covers:
		return drifted, nil
	}
	return unsettled, nil
}

// judgeOutdated judges a child that changes reach only when someone deletes it.
func (a *Applier) judgeOutdated(memo *Memo, d Desired, live client.Object, stamp string) (verdict, error) {
	v := a.look(d, live)
	values, err := v.values(d.content())
	if err != nil {
		return changed, err
	}
	last := memo.of(d.Key(), live)
	if last != nil && last.outdated && last.desired == d.state && last.left == values {
		last.version = live.GetResourceVersion()
		return converged, nil
	}
	differs, err := v.differences(d)
	if err != nil {
		return changed, err
	}
	same := len(differs) == 0 && v.covers(d)
	switch {
	case same && v.others == 0:
		return changed, nil // as desired, and not known to be: stamp it
	case same, stamp == "":
		return unstamped, nil
	}
	return converged, a.leave(memo, d, live)
}

// leave records that a child is of another desired state, and stays so.
func (a *Applier) leave(memo *Memo, d Desired, live client.Object) error {
	values, err := a.look(d, live).values(d.content())
	memo.set(&verified{key: d.Key(), uid: live.GetUID(), desired: d.state, stamp: d.Hash, input: d.Input, version: live.GetResourceVersion(), outdated: true, left: values})
	return err
}
