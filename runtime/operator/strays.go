package operator

import (
	"context"
	"errors"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/opgen-dev/opgen/runtime/internal/apply"
	"github.com/opgen-dev/opgen/runtime/internal/ownership"
)

// Strays are children without an owner reference whose parent went without the
// operator, since somebody took its finalizer off. The garbage collector would
// delete those with a reference; the operator does the same for these, or
// releases those that are to outlive their parent.
//
// Whose strays they are cannot be told, and so they are left alone,
//
//   - where the operator works on a share of the parents: a parent that is gone has
//     no labels, and may have been another operator's, which decides by its own
//     policies;
//   - where it works in one namespace and the parent lay in another: that is another
//     operator's, even if it is gone. No pass is over it; see [loop.parentOf].
//
// What does not look exactly as this controller has left it is no stray either;
// see [loop.isStray].

// suspect notes a child whose parent may have been another one of that name than
// there is now.
func (l *loop) suspect(child client.Object, parent ownership.Parent) {
	if l.offspring.keys.Named(child) == "" {
		return
	}
	if state := l.states.get(parent.Name); state != nil && state.uid != parent.UID {
		state.strays.Store(true)
	}
}

// leaveNone prunes what is left of a parent that is gone, and forgets it. It
// reports whether the cache does not show yet what passes over it have pruned.
func (l *loop) leaveNone(ctx context.Context, name types.NamespacedName) (stale bool, err error) {
	found, err := l.strays(name, "")
	if err != nil {
		return false, err
	}
	if len(found) > 0 {
		if state := l.states.get(name); state != nil && state.writes.Pending() {
			if seen, err := state.writes.Seen(ctx, l.live, l.now()); !seen || err != nil {
				return err == nil, err
			}
		}
		if err := l.prune(ctx, name, found); err != nil {
			return false, err
		}
	}
	l.forget(name)
	return false, nil
}

// pruneStrays prunes what is left of earlier parents of this one's name.
func (p *pass) pruneStrays(ctx context.Context) error {
	if !p.state.strays.Swap(false) { // an event from now on says so again
		return nil
	}
	name := client.ObjectKeyFromObject(p.parent)
	found, err := p.strays(name, p.parent.GetUID())
	if err == nil && len(found) > 0 {
		err = p.prune(ctx, name, found)
	}
	if err != nil {
		p.state.strays.Store(true)
	}
	return err
}

// strays returns what the cache shows of children of parents of a name, but for
// those of one UID.
func (l *loop) strays(name types.NamespacedName, but types.UID) ([]child, error) {
	if !l.share.Empty() {
		return nil, nil
	}
	named := ownership.Parent{Kind: l.parent.GroupVersionKind, Name: name}.String()
	var found []child
	for _, kind := range slices.Backward(l.children) { // in the order of an ordered teardown
		objects, err := kind.of(named)
		if err != nil {
			return nil, err
		}
		for _, object := range objects {
			_, marked := apply.Wrote(object, l.manager, "labels", l.offspring.keys.Label)
			if marked && l.uidOf(object) != but {
				found = append(found, childOf(kind, object))
			}
		}
	}
	return found, nil
}

func (l *loop) uidOf(child client.Object) types.UID {
	return types.UID(child.GetLabels()[l.offspring.keys.Label])
}

// prune deletes or releases strays, unless the API server says that their parent
// lives. Where the teardown is ordered, it is one kind in a pass; the event of the
// last that is gone causes the next.
func (l *loop) prune(ctx context.Context, parent types.NamespacedName, found []child) error {
	living, err := l.living(ctx, parent)
	if err != nil {
		return err
	}
	var failures []error
	for _, child := range found {
		if l.uidOf(child.object) == living || child.object.GetDeletionTimestamp() != nil {
			continue
		}
		if l.ordered && child.childKind != found[0].childKind {
			break
		}
		if err := l.pruneStray(ctx, child); err != nil && !errors.As(err, new(apply.ErrStale)) {
			failures = append(failures, errChild{child.key(), err})
		}
	}
	return errors.Join(failures...)
}

// living returns the UID of the parent of a name; empty when there is none.
func (l *loop) living(ctx context.Context, name types.NamespacedName) (types.UID, error) {
	parent := l.parent.new()
	err := l.live.Get(ctx, name, parent)
	if isGone(err) {
		return "", nil
	}
	return parent.GetUID(), err
}

// isGone tells whether the API server knows that there is no such object. It
// also answers "not found" for a version of a kind that it does not serve, whose
// objects may live on in another.
func isGone(err error) bool {
	return apierrors.IsNotFound(err) && !apierrors.HasStatusCause(err, metav1.CauseTypeUnexpectedServerResponse)
}

func (l *loop) pruneStray(ctx context.Context, stray child) error {
	live := stray.new()
	err := l.live.Get(ctx, stray.name, live)
	if apierrors.IsNotFound(err) || err == nil && !l.isStray(live, stray.object) {
		return nil
	}
	if err != nil {
		return err
	}
	did := "deleted"
	if stray.object = live; l.whenDeleted(stray) == Orphan {
		did = "orphaned"
		err = l.letGo(ctx, stray, l.uidOf(live))
	} else {
		_, err = stray.applier.Delete(ctx, stray.key(), live)
	}
	if err != nil {
		return err
	}
	l.metrics.CountWrite(l.name, stray.Kind, did)
	log.FromContext(ctx).Info(did+" a child whose parent went without the operator", "child", stray.key().String())
	return nil
}

// admission is how long the API server may take between noting who makes an object,
// and when it was made: admission plugins come between.
const admission = time.Minute

// isStray tells whether an object is what the cache shows, and carries the marks
// of a child exactly as this controller has written them. What a backup tool has
// made again does not, even if it brought the field managers back: those wrote long
// before the object was made. Its parent was made again, too, and so has another
// UID than it says.
func (l *loop) isStray(live, cached client.Object) bool {
	keys := l.offspring.keys
	labelled, _ := apply.Wrote(live, l.manager, "labels", keys.Label) // or never
	_, named := apply.Wrote(live, l.manager, "annotations", keys.Parent)
	return live.GetUID() == cached.GetUID() && live.GetDeletionTimestamp() == nil &&
		l.uidOf(live) == l.uidOf(cached) && keys.Named(live) != "" && keys.Named(live) == keys.Named(cached) &&
		named && !labelled.Before(live.GetCreationTimestamp().Add(-admission))
}
