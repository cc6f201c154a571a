package process

import (
	"context"
	"errors"
	"net/http"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/manager"
)

// addProbes makes the process healthy once it runs, and ready once the manager's cache has
// synced. Caches of children have probes of their own.
func addProbes(mgr manager.Manager) error {
	if err := mgr.AddHealthzCheck("ping", healthz.Ping); err != nil {
		return err
	}
	return mgr.AddReadyzCheck("caches", checkSynced(mgr.GetCache()))
}

// checkSynced returns a probe that succeeds once a cache has synced.
func checkSynced(cache cache.Cache) healthz.Checker {
	return func(request *http.Request) error {
		ctx, cancel := context.WithTimeout(request.Context(), time.Second)
		defer cancel()
		if !cache.WaitForCacheSync(ctx) {
			return errors.New("a cache is not filled yet")
		}
		return nil
	}
}
