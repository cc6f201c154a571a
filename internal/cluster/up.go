package cluster

import "context"

// Options say which instance Up starts, and from what.
type Options struct {
	Name     string // DefaultName when empty
	Assets   Assets // executables to start it from; the zero value stands for those that Build returns
	Cache    Cache
	State    State
	Progress ProgressFunc
}

// Outcome is what Up found and did.
type Outcome struct {
	*Instance
	Existed bool     // it ran already and was left alone
	Gone    []string // programs of a broken instance that were found dead; the rest of it was removed before the start
}

// Up brings an instance up and returns when its API server is ready and its controllers work. It builds the
// binary first when the cache does not have it, unless the options name executables that exist. An instance that
// runs is left as it is; what is left of one whose processes died is removed, and a new one takes its place. When Up
// is interrupted or does not succeed, nothing of the instance stays.
func Up(ctx context.Context, o Options) (*Outcome, error) {
	if o.Name == "" {
		o.Name = DefaultName
	}
	if err := CheckName(o.Name); err != nil {
		return nil, err
	}
	// One that runs needs no build, even if it is of another version.
	if existing, err := o.State.load(o.Name); err == nil && existing != nil && existing.isReady(ctx) {
		return &Outcome{Instance: existing, Existed: true}, nil
	}
	assets, err := o.findAssets(ctx)
	if err != nil {
		return nil, err
	}
	lock, err := o.State.lockInstance(ctx, o.Name)
	if err != nil {
		return nil, err
	}
	defer lock.releaseAndRemove()
	return replaceOrStart(ctx, o, assets)
}

// findAssets returns the executables of the options, or else those that Build returns.
func (o Options) findAssets(ctx context.Context) (Assets, error) {
	if o.Assets != (Assets{}) {
		return o.Assets, nil
	}
	return Build(ctx, o.Cache, o.Progress)
}

// replaceOrStart starts the instance, in the place of one that is broken. The caller holds its lock.
func replaceOrStart(ctx context.Context, o Options, assets Assets) (*Outcome, error) {
	existing, err := o.State.load(o.Name)
	if err != nil {
		return nil, err
	}
	outcome := &Outcome{}
	if existing != nil {
		if existing.isReady(ctx) { // another Up was faster
			return &Outcome{Instance: existing, Existed: true}, nil
		}
		outcome.Gone = existing.deadProcesses()
		if err := existing.remove(ctx); err != nil {
			return nil, err
		}
	}
	outcome.Instance, err = startAny(ctx, o, assets)
	if err != nil {
		return nil, err
	}
	return outcome, nil
}
