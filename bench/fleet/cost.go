package main

import (
	"context"
	"os"
	"time"

	"golang.org/x/sync/errgroup"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/bench/fleet/operator/api/v1alpha1"
)

// parents creates the fleet's parents, and returns them.
func (t *trial) parents(ctx context.Context) ([]v1alpha1.EchoServer, error) {
	if err := t.fleet.create(ctx); err != nil {
		return nil, err
	}
	all := new(v1alpha1.EchoServerList)
	if err := t.fleet.user.List(ctx, all, client.InNamespace(t.fleet.namespace)); err != nil {
		return nil, err
	}
	return all.Items, nil
}

// cost is what requests of one sort have cost: how many there were in a second, and the CPU milliseconds of each.
type cost struct{ rate, apiServer, etcd, own float64 }

// costOf makes so many requests with 10 workers.
func (t *trial) costOf(ctx context.Context, requests int, do func(ctx context.Context, i int) error) (cost, error) {
	begin, apiServer, etcd, own := time.Now(), t.cluster.cpu("kube-apiserver"), t.cluster.cpu("etcd"), cpuOf(os.Getpid())
	group, each := errgroup.WithContext(ctx)
	group.SetLimit(creators)
	for i := range requests {
		group.Go(func() error { return do(each, i) })
	}
	if err := group.Wait(); err != nil {
		return cost{}, err
	}
	n := float64(requests)
	return cost{
		rate:      n / time.Since(begin).Seconds(),
		apiServer: milliseconds(t.cluster.cpu("kube-apiserver")-apiServer) / n,
		etcd:      milliseconds(t.cluster.cpu("etcd")-etcd) / n,
		own:       milliseconds(cpuOf(os.Getpid())-own) / n,
	}, nil
}

func medianOf[T any](all []T, get func(T) float64) float64 {
	var samples []float64
	for _, each := range all {
		samples = append(samples, get(each))
	}
	return median(samples)
}
