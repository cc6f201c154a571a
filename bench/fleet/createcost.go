package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/opgen-dev/opgen/bench/fleet/operator/api/v1alpha1"
	"github.com/opgen-dev/opgen/bench/fleet/operator/children"
)

// ways are the ways to create a child: a plain create, and an apply that can only create.
var ways = []struct {
	name   string
	create func(ctx context.Context, user client.Client, child client.Object) error
}{
	{"POST with a field manager", func(ctx context.Context, user client.Client, child client.Object) error {
		return user.Create(ctx, child, client.FieldOwner("fleet"))
	}},
	{`apply with resourceVersion "1"`, func(ctx context.Context, user client.Client, child client.Object) error {
		child.SetResourceVersion("1") // which is older than any object's
		body, err := applying(user, child)
		if err != nil {
			return err
		}
		return user.Patch(ctx, child, client.RawPatch(types.ApplyPatchType, body), client.FieldOwner("fleet"), client.ForceOwnership)
	}},
}

// createCost measures what the creation of children costs in each way, with 10 workers, and prints it.
func (b *bench) createCost(ctx context.Context) error {
	for _, size := range b.sizes {
		costs := map[string]map[string][]cost{}
		for round := range b.rounds {
			for _, way := range ways {
				b.progress.Begin(fmt.Sprintf("%d parents, round %d of %d, %s", size, round+1, b.rounds, way.name))
				t := trial{bench: b, contender: contender{title: way.name, binary: "fleet-user"}}
				b.size = size
				err := t.inCluster(ctx, "creation", func(ctx context.Context) error {
					return t.createEach(ctx, way.name, way.create, costs)
				})
				if err != nil {
					return err
				}
			}
		}
		b.progress.End()
		printCosts(size, b.rounds, costs)
	}
	return nil
}

// createEach creates the children of all parents, one kind after the other.
func (t *trial) createEach(ctx context.Context, way string, create func(context.Context, client.Client, client.Object) error, costs map[string]map[string][]cost) error {
	parents, err := t.parents(ctx)
	if err != nil {
		return err
	}
	for _, kind := range kindsOfChildren {
		made, err := t.costOf(ctx, len(parents), func(ctx context.Context, i int) error {
			child := kind.of(&parents[i])
			if err := controllerutil.SetControllerReference(&parents[i], child, t.fleet.user.Scheme()); err != nil {
				return err
			}
			return create(ctx, t.fleet.user, child)
		})
		if err != nil {
			return err
		}
		if costs[kind.name] == nil {
			costs[kind.name] = map[string][]cost{}
		}
		costs[kind.name][way] = append(costs[kind.name][way], made)
	}
	return t.allCreated()
}

// allCreated makes sure that every request has created something.
func (t *trial) allCreated() error {
	if err := t.audit.read(); err != nil {
		return err
	}
	made := 0
	for _, r := range t.audit.requests {
		if r.Code == http.StatusCreated && r.Resource != "echoservers" {
			made++
		}
	}
	if want := t.size * len(kindsOfChildren); made < want {
		return fmt.Errorf("%d of %d children were created", made, want)
	}
	return nil
}

var kindsOfChildren = []struct {
	name string
	of   func(*v1alpha1.EchoServer) client.Object
}{
	{"ConfigMap", func(e *v1alpha1.EchoServer) client.Object { return children.ConfigMap(e) }},
	{"Service", func(e *v1alpha1.EchoServer) client.Object { return children.Service(e) }},
	{"Deployment", func(e *v1alpha1.EchoServer) client.Object { return children.Deployment(e) }},
}

// applying returns the body of an apply of a child.
func applying(user client.Client, child client.Object) ([]byte, error) {
	kind, err := apiutil.GVKForObject(child, user.Scheme())
	if err != nil {
		return nil, err
	}
	child.GetObjectKind().SetGroupVersionKind(kind)
	body, err := json.Marshal(child)
	if err != nil {
		return nil, err
	}
	content := map[string]any{}
	if err := json.Unmarshal(body, &content); err != nil {
		return nil, err
	}
	delete(content, "status")
	return json.Marshal(content)
}

func printCosts(size, rounds int, costs map[string]map[string][]cost) {
	fmt.Printf("Medians of %d rounds, taking turns, each against a fresh control plane; %d objects of each kind, %d workers.\n\n", rounds, size, creators)
	fmt.Println("| | | requests/s | CPU ms of kube-apiserver per object | of etcd | of the client |\n|---|---|---|---|---|---|")
	for _, kind := range kindsOfChildren {
		for _, way := range ways {
			of := func(get func(cost) float64) float64 { return medianOf(costs[kind.name][way.name], get) }
			fmt.Printf("| %s | %s | %.0f | %.2f | %.2f | %.2f |\n", kind.name, way.name,
				of(func(c cost) float64 { return c.rate }), of(func(c cost) float64 { return c.apiServer }),
				of(func(c cost) float64 { return c.etcd }), of(func(c cost) float64 { return c.own }))
		}
	}
	fmt.Println()
}
