package explore

import (
	"time"

	"github.com/opgen-dev/opgen/runtime/operatortest/internal/instance"
)

// mostIdle is how long a kubelet and the controllers of a cluster may do nothing while children wait
// for others to get ready.
const mostIdle = 10 * time.Second

// awaitReady waits, where somebody plays the kubelet, until the parents are ready, so that Sync desires
// what it desires in the end. It gives up when nothing happens any more: an image that nobody can pull
// keeps others waiting for ever.
func (x *exploration) awaitReady(parents []*exploredParent) {
	x.t.Helper()
	x.awaitKubelet(func() (waiting int) {
		for _, p := range parents {
			waiting += x.countUnmade(p)
			if p.readUsual().conditions["Ready"].Status != "True" {
				waiting++
			}
		}
		return waiting
	})
}

// awaitMade waits, where somebody plays the kubelet, until the children exist that are in trials.
func (x *exploration) awaitMade(parents []*exploredParent) {
	x.t.Helper()
	x.awaitKubelet(func() (waiting int) {
		for _, p := range parents {
			for _, c := range p.children {
				if c.find() != nil || x.readChild(c.child) == nil {
					waiting++
				}
			}
		}
		return waiting
	})
}

// countUnmade returns how many desired children of a parent do not exist.
func (x *exploration) countUnmade(p *exploredParent) (missing int) {
	for _, child := range x.author.childrenOf(p.object.GetUID()) {
		if x.readChild(child) == nil {
			missing++
		}
	}
	return missing
}

// awaitKubelet waits until a count is zero, or has not changed for some time.
func (x *exploration) awaitKubelet(count func() int) {
	x.t.Helper()
	if x.config.Kubelet == nil {
		return
	}
	last, since := -1, time.Now()
	for time.Since(since) < mostIdle {
		waiting := count()
		if waiting == 0 {
			break
		}
		if waiting != last {
			last, since = waiting, time.Now()
		}
		time.Sleep(5 * instance.Interval)
	}
	x.awaitRoundSettled()
}

// compareLater compares children again for some time, where somebody plays the kubelet: a change may
// wait until another child is ready again. It returns why the operator is not settled.
func (x *exploration) compareLater(again []*exploredChild, settled string) string {
	x.t.Helper()
	if x.config.Kubelet == nil {
		return settled
	}
	for deadline := time.Now().Add(mostIdle); time.Now().Before(deadline); time.Sleep(5 * instance.Interval) {
		late := failedTrials(again)
		if len(late) == 0 {
			return settled
		}
		x.operator.Advance(10 * time.Second)
		settled = x.awaitRoundSettled()
		inParallel(late, (*exploredChild).compare)
	}
	return settled
}
