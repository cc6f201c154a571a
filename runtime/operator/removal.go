package operator

import (
	"context"
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/opgen-dev/opgen/runtime/internal/apply"
	"github.com/opgen-dev/opgen/runtime/internal/ownership"
)

// whenRemoved says what becomes of a child that is not wanted any more: what an
// option said when it was, or what its kind says.
func (p *pass) whenRemoved(child child) DeletionPolicy {
	if p.finalizing() {
		return p.whenDeleted(child)
	}
	return p.policy(child, child.WhenDropped)
}

// whenDeleted says what becomes of a child when its parent goes.
func (l *loop) whenDeleted(child child) DeletionPolicy { return l.policy(child, child.WhenDeleted) }

// policy is what an option said of a child, or else its kind.
func (l *loop) policy(child child, ofKind DeletionPolicy) DeletionPolicy {
	said := DeletionPolicy(child.object.GetAnnotations()[l.offspring.keys.WhenRemoved])
	if said == Delete || said == Orphan {
		return said
	}
	return ofKind
}

// remove deletes or releases children, if the parent is live what this pass took
// it for.
func (p *pass) remove(ctx context.Context, children []child) (stale bool, err error) {
	if len(children) == 0 {
		return false, nil
	}
	if stale, err := p.changed(ctx); stale || err != nil {
		return stale, err
	}
	var failures []error
	for _, child := range children {
		remove := p.delete
		if !child.replaced && p.whenRemoved(child) == Orphan {
			remove = p.release
		}
		err := remove(ctx, child)
		switch {
		case errors.As(err, new(apply.ErrStale)):
			stale, p.conflict = true, errChild{child.key(), err}
		case err != nil:
			failures = append(failures, errChild{child.key(), err})
		}
	}
	return stale, errors.Join(failures...)
}

// changed tells whether the parent is live another than this pass has seen.
func (p *pass) changed(ctx context.Context) (bool, error) {
	live := p.loop.parent.new()
	err := p.live.Get(ctx, client.ObjectKeyFromObject(p.parent), live)
	if apierrors.IsNotFound(err) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	return live.GetUID() != p.parent.GetUID() || live.GetResourceVersion() != p.parent.GetResourceVersion(), nil
}

// delete deletes a child. One that is not there any more leaves the cache soon: a stale view has the pass repeated, since
// what answered may know less than the cache.
func (p *pass) delete(ctx context.Context, child child) error {
	existed := false
	err := p.state.memo.Delete(p.now, child.key(), child.object, func() (err error) {
		existed, err = child.applier.Delete(ctx, child.key(), child.object)
		return err
	})
	if err != nil {
		return err
	}
	p.hasRemoved(child)
	p.state.memo.Removed(child.key())
	if read := p.readAs(child.childKind); read != nil {
		p.state.writes.Deleted(read, child.object, p.now)
	}
	if !existed {
		return apply.ErrStale{Key: child.key()}
	}
	p.metrics.CountWrite(p.name, child.Kind, "deleted")
	log.FromContext(ctx).V(1).Info("deleted a child", "child", child.key().String(), "replaced", child.replaced)
	return nil
}

// release makes a child nobody's.
func (p *pass) release(ctx context.Context, child child) error {
	if err := p.letGo(ctx, child, p.parent.GetUID()); err != nil {
		return err
	}
	p.hasRemoved(child)
	p.metrics.CountWrite(p.name, child.Kind, "orphaned")
	log.FromContext(ctx).V(1).Info("orphaned a child", "child", child.key().String())
	return nil
}

func (l *loop) letGo(ctx context.Context, child child, parent types.UID) error {
	keys := l.offspring.keys
	return child.applier.Release(ctx, child.key(), child.object, parent, []string{keys.Label}, keys.Annotations())
}

// hasRemoved notes that a child leaves the cache.
func (p *pass) hasRemoved(child child) {
	p.wrote = append(p.wrote, child.key().String())
	p.state.writes.Deleted(&child.written, child.object, p.now)
	if p.removed == nil {
		p.removed = map[types.UID]bool{}
	}
	p.removed[child.object.GetUID()] = true
}

// dismantle removes the children of a parent that goes, but for those that the
// garbage collector deletes after it. In order, that is one kind after the other,
// the last first, each when the one before is gone. It reports whether nothing is
// left to do.
func (p *pass) dismantle(ctx context.Context) (done, stale bool, err error) {
	for i := len(p.children) - 1; i >= 0; i-- {
		var leaving []child
		waits := false
		for _, object := range p.observed[i] {
			child := childOf(p.children[i], object)
			collected := p.deleting() && ownership.Referenced(object, p.parent.GetUID()) && p.whenRemoved(child) == Delete
			if collected && !p.ordered {
				continue
			}
			waits = waits || p.whenRemoved(child) == Delete
			if object.GetDeletionTimestamp() == nil && !p.removed[object.GetUID()] {
				leaving = append(leaving, child)
			}
		}
		if stale, err := p.remove(ctx, leaving); stale || err != nil {
			return false, stale, err
		}
		if p.ordered && waits {
			return false, false, nil
		}
	}
	return true, false, nil
}
