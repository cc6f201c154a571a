package cluster

import (
	"context"
	"errors"
	"fmt"
)

// Options say which instance Up starts, and from which executables.
type Options struct {
	Name     string  // DefaultName when empty
	Node     bool    // with a node: Linux and root alone
	Assets   Assets  // executables to start it from; the zero value stands for those that Build returns
	Release  Release // that Build makes; the newest when empty
	Cache    Cache
	State    StateDir
	Progress ProgressFunc
}

// Outcome is what Up found and did.
type Outcome struct {
	*Instance
	Existed bool     // it ran already and was not changed
	Gone    []string // programs of a broken instance that had died; Up removed the rest of it
}

// Up starts an instance and returns when its API server and its controllers work. It builds the
// binary first if the cache does not have it, unless the options name existing executables.
//
// Up does not change an instance that runs. It removes one of which a process has died, and starts
// a new one in its place. If Up fails or is interrupted, it leaves nothing of the instance.
func Up(ctx context.Context, o Options) (*Outcome, error) {
	if o.Name == "" {
		o.Name = DefaultName
	}
	if err := CheckName(o.Name); err != nil {
		return nil, err
	}
	// An instance that runs is used whatever its version is, so that no build is needed.
	if existing, err := o.State.loadInstance(o.Name); err == nil && existing != nil && existing.isReady(ctx) {
		return o.useExisting(existing)
	}
	if o.Node {
		if err := CheckNode(); err != nil {
			return nil, err
		}
	}
	if err := o.State.checkWritable(o.Name); err != nil { // before a build that takes minutes
		return nil, err
	}
	assets, err := o.provideAssets(ctx)
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

// provideAssets returns the executables of the options. It builds them if the options name none.
func (o Options) provideAssets(ctx context.Context) (Assets, error) {
	if o.Assets != (Assets{}) {
		return o.Assets, nil
	}
	if o.Node {
		return BuildNode(ctx, o.Cache, o.Progress)
	}
	return Build(ctx, o.Cache, o.Release, o.Progress)
}

func (o Options) recipe() recipe {
	if o.Node {
		return nodeRecipe()
	}
	return controlPlaneRecipe(o.Release)
}

// ErrWithoutNode is what Up returns, wrapped, when an instance without a node has the name of one that is to have one.
var ErrWithoutNode = errors.New("runs without a node")

// useExisting returns an instance that runs, unless it lacks the node that was asked for.
func (o Options) useExisting(existing *Instance) (*Outcome, error) {
	if o.Node && existing.Node == nil {
		return nil, fmt.Errorf("cluster %q %w", existing.Name, ErrWithoutNode)
	}
	return &Outcome{Instance: existing, Existed: true}, nil
}

// replaceOrStart starts the instance, after it has removed a broken one. The caller has the lock.
func replaceOrStart(ctx context.Context, o Options, assets Assets) (*Outcome, error) {
	existing, err := o.State.loadInstance(o.Name)
	if err != nil {
		return nil, err
	}
	outcome := &Outcome{}
	if existing != nil {
		if existing.isReady(ctx) { // another Up was faster
			return o.useExisting(existing)
		}
		outcome.Gone = existing.deadProcesses()
		if err := existing.remove(ctx); err != nil {
			return nil, err
		}
	}
	outcome.Instance, err = startOnFreePorts(ctx, o, assets)
	if err != nil {
		return nil, err
	}
	return outcome, nil
}
