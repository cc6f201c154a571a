package cluster

import "context"

// Plan is what Up would do.
type Plan struct {
	Build   bool     `json:"build"`             // the cache has no binary yet, and this opgen is no release that has one
	Assets  string   `json:"assets"`            // directory that the executables are in, or will be
	Version string   `json:"version"`           // of Kubernetes
	Missing []string `json:"missing,omitempty"` // programs that the directory does not have and Up can do without
	Start   bool     `json:"start"`             // the instance does not run
	Dir     string   `json:"dir"`               // of the instance
}

// PlanUp returns what Up would do. It changes nothing.
func PlanUp(ctx context.Context, o Options) (Plan, error) {
	assets, exist, released := o.Assets, true, false
	if assets == (Assets{}) {
		var from origin
		var err error
		if assets, exist, from, err = o.recipe().lookUp(ctx, o.Cache); err != nil {
			return Plan{}, err
		}
		released = from.released != ""
	}
	instance, err := o.State.loadInstance(o.Name)
	if err != nil {
		return Plan{}, err
	}
	plan := Plan{
		Build:   !exist && !released,
		Assets:  assets.Dir,
		Version: assets.Version,
		Start:   instance == nil || !instance.isReady(ctx),
		Dir:     o.State.instanceDir(o.Name),
	}
	if exist {
		plan.Missing = assets.Missing()
	}
	return plan, nil
}

// LookUp returns the assets that Build would return, and whether they are built already.
func LookUp(ctx context.Context, cache Cache, release Release) (Assets, bool, error) {
	assets, exist, _, err := controlPlaneRecipe(release).lookUp(ctx, cache)
	return assets, exist, err
}

func (r recipe) lookUp(ctx context.Context, cache Cache) (assets Assets, exist bool, from origin, err error) {
	files, err := r.sourceFiles()
	if err != nil {
		return Assets{}, false, origin{}, err
	}
	if from, err = r.findOrigin(ctx, cache, files); err != nil {
		return Assets{}, false, origin{}, err
	}
	assets = cache.assetsOf(r.release, from.key)
	return assets, r.isBuilt(assets), from, nil
}
