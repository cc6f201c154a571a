package process

import (
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/opgen-dev/opgen/runtime/internal/managedfields"
	"github.com/opgen-dev/opgen/runtime/internal/related"
)

// addRelated adds the watches of related objects to a manager.
func addRelated(mgr manager.Manager, e *Environment) error {
	e.Related = related.NewWatches(related.Caches{
		New:  func(limit func(*cache.Options) error) (cache.Cache, error) { return e.newCache(mgr, limit) },
		Add:  func(added cache.Cache) error { return mgr.Add(startedWithCaches{added}) },
		Trim: managedfields.NewTrimmer().Trim,
	})
	e.Control.SetOpening(e.Related.OpenNow)
	return mgr.Add(e.Related)
}
