package apply

import (
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// verdict is what is known about a child without any call.
type verdict int

const (
	converged verdict = iota
	changed           // the desired state is another, or unknown
	drifted           // someone changed what we own
	unstamped         // it may be of another desired state, which it is to keep then
)

// judge compares a child with its desired state without any call.
func (a *Applier) judge(memo *Memo, d Desired, live client.Object) (verdict, error) {
	last := memo.of(d.Key(), live)
	if last != nil && last.desired == d.Hash {
		if last.input != d.Input && !d.owns(live) {
			return changed, nil
		}
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
func (a *Applier) compare(memo *Memo, last *verified, d Desired, live client.Object) (verdict, error) {
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
func (a *Applier) recognize(memo *Memo, d Desired, live client.Object, stamp string) (verdict, error) {
	v := a.look(d, live)
	switch {
	case !d.owns(live):
		return changed, nil
	case stamp == d.Hash && !v.covers(d):
		return a.doubt(memo, d, v)
	case stamp == d.Hash, stamp == "" && d.Strategy != Recreate && !d.Rolls && v.matches(d):
		return converged, a.rememberView(memo, d, v)
	}
	return changed, nil
}

// doubt judges a child that carries its hash, but of which we seem to own less. If
// only its metadata is known, it may be as it was created: it is if nobody has ever
// changed more than that, and otherwise an apply tells.
func (a *Applier) doubt(memo *Memo, d Desired, v *view) (verdict, error) {
	switch {
	case !a.Metadata || !v.mayCover(d):
		return drifted, nil
	case v.object.GetGeneration() == 1:
		return converged, a.rememberView(memo, d, v)
	}
	return changed, nil
}

// judgeOutdated judges a child that changes reach only when someone deletes it.
func (a *Applier) judgeOutdated(memo *Memo, d Desired, live client.Object, stamp string) (verdict, error) {
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
	case v.matches(d) && v.others == 0:
		return changed, nil // as desired, and not known to be: stamp it
	case v.matches(d), stamp == "":
		return unstamped, nil
	}
	return converged, a.leave(memo, d, live)
}

// leave records that a child is of another desired state, and stays so.
func (a *Applier) leave(memo *Memo, d Desired, live client.Object) error {
	metadata, err := a.look(d, live).metadata()
	memo.set(&verified{key: d.Key(), uid: live.GetUID(), desired: d.Hash, input: d.Input, version: live.GetResourceVersion(), outdated: true, metadata: metadata})
	return err
}

// covers tells whether we own every path that is desired.
func (v *view) covers(d Desired) bool {
	if v.set == nil {
		return false
	}
	if v.raw != nil {
		return v.set.covers(d.fields(), nil, false)
	}
	content, err := v.content()
	return err == nil && v.set.covers(d.fields(), content, true)
}

// mayCover is covers where no more than the metadata is cached: a path that ends
// early may be an atomic value, or an object whose fields all belong to others.
func (v *view) mayCover(d Desired) bool {
	content, err := v.content()
	if err != nil || v.set == nil || v.raw != nil {
		return false
	}
	fields := d.fields()
	metadata, ok := fields["metadata"]
	delete(fields, "metadata")
	return v.set.covers(fields, nil, false) && (!ok || v.set.covers(map[string]any{"metadata": metadata}, content, true))
}

// matches tells whether the object is as desired, compared field by field at
// the paths that we own. A value that the API server normalises makes it false.
func (v *view) matches(d Desired) bool {
	content, err := v.content()
	if err != nil {
		return false
	}
	set := v.set.without("metadata", "annotations", d.HashKey)
	return v.set != nil && set.matches(d.fields(), content, clientgoscheme.Scheme.Recognizes(d.Kind))
}
