package cluster

import "context"

// Plan is what Up would do.
type Plan struct {
	Build   bool     `json:"build"`             // the cache has no binary yet
	Assets  string   `json:"assets"`            // directory that the executables are in, or will be
	Version string   `json:"version"`           // of Kubernetes
	Missing []string `json:"missing,omitempty"` // programs that the directory does not have and Up can do without
	Start   bool     `json:"start"`             // the instance does not run
	Dir     string   `json:"dir"`               // of the instance
}

// PlanUp returns what Up would do. It changes nothing.
func PlanUp(ctx context.Context, o Options) (Plan, error) {
	assets, exist := o.Assets, true
	if assets == (Assets{}) {
		var err error
		if assets, exist, err = o.recipe().lookUp(ctx, o.Cache); err != nil {
			return Plan{}, err
		}
	}
	instance, err := o.State.loadInstance(o.Name)
	if err != nil {
		return Plan{}, err
	}
	plan := Plan{
		Build:   !exist,
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
	return controlPlaneRecipe(release).lookUp(ctx, cache)
}

func (r recipe) lookUp(ctx context.Context, cache Cache) (Assets, bool, error) {
	files, err := r.sourceFiles()
	if err != nil {
		return Assets{}, false, err
	}
	tool, err := findGo(ctx)
	if err != nil {
		return Assets{}, false, err
	}
	assets := cache.assetsOf(r.release, r.buildKey(files, tool.version))
	return assets, r.isBuilt(assets), nil
}
