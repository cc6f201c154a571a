package operator

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// view looks at a parent once the cache holds all that earlier passes over it
// have written. It reports whether that is still to come.
func (r *reconciler[P, S, C, D, R]) view(ctx context.Context, request reconcile.Request) (p *pass, stale bool, err error) {
	p, stale, err = r.look(ctx, request)
	if p == nil || err != nil || !p.state.writes.Pending() {
		return p, stale, err
	}
	seen, err := p.state.writes.Seen(ctx, r.live, p.now)
	if !seen || err != nil {
		return nil, err == nil, err
	}
	return r.look(ctx, request) // only now is the cache known to be new enough
}

// look reads the parent from the cache. It returns nil when there is none
// that this operator works on.
func (r *reconciler[P, S, C, D, R]) look(ctx context.Context, request reconcile.Request) (p *pass, stale bool, err error) {
	parent := r.parent.new()
	err = r.cache.Get(ctx, request.NamespacedName, parent, uncopied(parent)...)
	if apierrors.IsNotFound(err) {
		stale, err = r.leaveNone(ctx, request.NamespacedName)
		return nil, stale, err
	}
	if err != nil {
		return nil, false, err
	}
	if !r.share.has(parent) {
		r.forget(request.NamespacedName)
		return nil, false, nil
	}
	return &pass{
		loop:   r.loop,
		state:  r.states.of(request.NamespacedName, parent.GetUID()),
		parent: parent,
		now:    r.now(),
	}, false, nil
}

// uncopied has a cache give out what it holds in a struct of the caller's own. An
// unstructured object has none but its map.
func uncopied(object client.Object) []client.GetOption {
	if _, dynamic := object.(runtime.Unstructured); dynamic {
		return nil
	}
	return []client.GetOption{client.UnsafeDisableDeepCopy}
}

// observe returns the children that a parent has, by kind.
func (l *loop) observe(parent client.Object) ([][]client.Object, error) {
	observed := make([][]client.Object, len(l.children))
	for i, child := range l.children {
		var err error
		if observed[i], err = child.of(string(parent.GetUID())); err != nil {
			return nil, err
		}
	}
	return observed, nil
}
