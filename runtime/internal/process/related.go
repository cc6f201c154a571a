package process

import (
	"fmt"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/opgen-dev/opgen/runtime/internal/apply"
	"github.com/opgen-dev/opgen/runtime/internal/related"
)

// addRelated adds the watches of related objects to a manager.
func addRelated(mgr manager.Manager, e *Environment) error {
	count := 0
	e.Related = related.NewWatches(related.Caches{
		New: func(limit func(*cache.Options) error) (cache.Cache, error) { return e.newCache(mgr, limit) },
		Add: func(added cache.Cache, part related.Part) error {
			count++
			return startWithCaches(mgr, fmt.Sprintf("related-%d-%s", count, strings.ToLower(part.Kind.Kind)), added)
		},
		Trim: apply.NewTrimmer().Trim,
	})
	return mgr.Add(e.Related)
}
