package reconcile

import (
	"context"

	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/opgen-dev/opgen/runtime/internal/process"
)

// addParentCache returns the cache of the objects of the parents' kind, and has the manager fill it with
// those of children and of related objects, before a controller starts: a start waits once for all of
// them, and a replica that takes over has them full. It is the manager's, where every object of the kind
// is a parent. Otherwise it is a cache of its own, which holds only the metadata of the others: the
// manager's is read by the author's code, too, which would take an object without content for a whole
// one.
//
// The others cannot be left out: an object that lost its label while the operator was down may still
// have children and a finalizer.
func (l *loop) addParentCache(mgr manager.Manager, environment *process.Environment) (cache.Cache, error) {
	parents := mgr.GetCache()
	if !l.selector.selectsAll() {
		var err error
		parents, err = environment.AddCache(mgr, func(o *cache.Options) {
			o.SyncPeriod, o.DefaultTransform = &environment.Resync, l.dropContentOfOthers(o.DefaultTransform)
		})
		if err != nil {
			return nil, err
		}
	}
	informer, err := parents.GetInformer(context.Background(), l.parentKind.cached, cache.BlockUntilSynced(false))
	if err == nil {
		environment.Await(l.parentKind.GroupVersionKind, false, informer.HasSynced)
	}
	return parents, err
}

// dropContentOfOthers returns a transform of the cache that leaves only the metadata of objects which are
// no parents. Finalize reads one that was a parent, which the finalizer shows.
func (l *loop) dropContentOfOthers(trim toolscache.TransformFunc) toolscache.TransformFunc {
	return func(input any) (any, error) {
		trimmed, err := trim(input)
		object, ok := trimmed.(client.Object)
		if err != nil || !ok || l.isParent(object) || controllerutil.ContainsFinalizer(object, l.finalizer) {
			return trimmed, err
		}
		return withoutContent(object), nil
	}
}
