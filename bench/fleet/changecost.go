package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/opgen-dev/opgen/bench/fleet/operator/api/v1alpha1"
	"github.com/opgen-dev/opgen/bench/fleet/operator/children"
)

// changeWays are the ways to change the image of a Deployment.
var changeWays = []struct {
	name   string
	create func(ctx context.Context, user client.Client, child client.Object) error
	change func(ctx context.Context, user client.Client, live *appsv1.Deployment, echo *v1alpha1.EchoServer) error
}{
	{"update (PUT)", ways[0].create, func(ctx context.Context, user client.Client, live *appsv1.Deployment, echo *v1alpha1.EchoServer) error {
		live.Spec.Template.Spec.Containers[0].Image, live.ManagedFields = echo.Spec.Image, nil
		return user.Update(ctx, live, client.FieldOwner("fleet"))
	}},
	{"apply, created by POST", ways[0].create, applied},
	{"apply, created by apply", ways[1].create, applied},
	{"JSON patch", ways[0].create, func(ctx context.Context, user client.Client, live *appsv1.Deployment, echo *v1alpha1.EchoServer) error {
		const container = "/spec/template/spec/containers/0/"
		body, err := json.Marshal([]map[string]any{
			{"op": "test", "path": "/metadata/uid", "value": live.UID},
			{"op": "test", "path": container + "name", "value": children.Container},
			{"op": "replace", "path": container + "image", "value": echo.Spec.Image},
		})
		if err != nil {
			return err
		}
		return user.Patch(ctx, live, client.RawPatch(types.JSONPatchType, body), client.FieldOwner("fleet"))
	}},
}

// applied applies all that is desired to a Deployment.
func applied(ctx context.Context, user client.Client, live *appsv1.Deployment, echo *v1alpha1.EchoServer) error {
	child, err := deployment(user, echo)
	if err != nil {
		return err
	}
	child.SetUID(live.UID)
	body, err := applying(user, child)
	if err != nil {
		return err
	}
	return user.Patch(ctx, live, client.RawPatch(types.ApplyPatchType, body), client.FieldOwner("fleet"), client.ForceOwnership)
}

// deployment is the Deployment that a parent wants.
func deployment(user client.Client, echo *v1alpha1.EchoServer) (*appsv1.Deployment, error) {
	child := children.Deployment(echo)
	return child, controllerutil.SetControllerReference(echo, child, user.Scheme())
}

// changed is what changes have cost.
type changed struct {
	cost
	alone   float64 // milliseconds for one with nothing beside it, the median
	managed float64 // bytes of managedFields afterwards
}

// changeCost measures what a change of a Deployment costs in each way, with 10 workers and one by one, and prints it.
func (b *bench) changeCost(ctx context.Context) error {
	for _, b.size = range b.sizes {
		costs := map[string][]changed{}
		for round := range b.rounds {
			for i, way := range changeWays {
				b.progress.Begin(fmt.Sprintf("%d Deployments, round %d of %d, %s", b.size, round+1, b.rounds, way.name))
				t := trial{bench: b, contender: contender{title: way.name, binary: "fleet-user"}}
				err := t.inCluster(ctx, "change", func(ctx context.Context) error {
					cost, err := t.changeEach(ctx, i)
					costs[way.name] = append(costs[way.name], cost)
					return err
				})
				if err != nil {
					return err
				}
			}
		}
		b.progress.End()
		printChangeCosts(b.size, b.rounds, costs)
	}
	return nil
}

// changeEach changes all Deployments three times: so that their managedFields are what they stay, with 10 workers, and
// one by one.
func (t *trial) changeEach(ctx context.Context, way int) (made changed, err error) {
	parents, err := t.parents(ctx)
	if err != nil {
		return made, err
	}
	live := make([]*appsv1.Deployment, len(parents))
	change := func(ctx context.Context, i, to int) error {
		parents[i].Spec.Image = image(to)
		return changeWays[way].change(ctx, t.fleet.user, live[i], &parents[i])
	}
	create := func(ctx context.Context, i int) (err error) {
		if live[i], err = deployment(t.fleet.user, &parents[i]); err != nil {
			return err
		}
		return changeWays[way].create(ctx, t.fleet.user, live[i])
	}
	if _, err := t.costOf(ctx, len(parents), create); err != nil {
		return made, err
	}
	if _, err := t.costOf(ctx, len(parents), func(ctx context.Context, i int) error { return change(ctx, i, 1) }); err != nil {
		return made, err
	}
	if made.cost, err = t.costOf(ctx, len(parents), func(ctx context.Context, i int) error { return change(ctx, i, 2) }); err != nil {
		return made, err
	}
	times := make([]time.Duration, len(parents))
	for i := range parents {
		begin := time.Now()
		if err := change(ctx, i, 3); err != nil {
			return made, err
		}
		times[i] = time.Since(begin)
	}
	made.alone = milliseconds(quantile(times, 0.5))
	managed, err := json.Marshal(live[0].ManagedFields)
	made.managed = float64(len(managed))
	return made, err
}

func printChangeCosts(size, rounds int, costs map[string][]changed) {
	fmt.Printf("Medians of %d rounds, taking turns, each against a fresh control plane; %d Deployments, %d workers.\n\n", rounds, size, creators)
	fmt.Println("| | requests/s | CPU ms of kube-apiserver per request | of etcd | of the client | ms for one alone, p50 | bytes of managedFields |\n|---|---|---|---|---|---|---|")
	for _, way := range changeWays {
		of := func(get func(changed) float64) float64 { return medianOf(costs[way.name], get) }
		fmt.Printf("| %s | %.0f | %.2f | %.2f | %.2f | %.2f | %.0f |\n", way.name,
			of(func(c changed) float64 { return c.rate }), of(func(c changed) float64 { return c.apiServer }),
			of(func(c changed) float64 { return c.etcd }), of(func(c changed) float64 { return c.own }),
			of(func(c changed) float64 { return c.alone }), of(func(c changed) float64 { return c.managed }))
	}
	fmt.Println()
}
