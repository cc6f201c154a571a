// Command floor does what an operator of EchoServers has to do, and nothing beside: a plain client makes the requests,
// watches nothing, and ends.
package main

import (
	"context"
	"flag"
	"log/slog"
	"os"
	"os/signal"

	"golang.org/x/sync/errgroup"
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/bench/fleet/operator/api/v1alpha1"
	"github.com/opgen-dev/opgen/bench/fleet/operator/children"
)

func main() {
	if err := run(); err != nil {
		slog.Error("ended", "err", err)
		os.Exit(1)
	}
}

func run() error {
	workers := flag.Int("workers", 10, "how many parents to work on at once")
	change := flag.Bool("change", false, "bring the image into the Deployments that exist, instead of making children")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()

	plain, err := newClient()
	if err != nil {
		return err
	}
	parents := new(v1alpha1.EchoServerList)
	if err := plain.List(ctx, parents); err != nil {
		return err
	}
	work := create
	if *change {
		work = update
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(*workers)
	for i := range parents.Items {
		group.Go(func() error { return work(ctx, plain, &parents.Items[i]) })
	}
	return group.Wait()
}

func newClient() (client.Client, error) {
	scheme := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		return nil, err
	}
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		return nil, err
	}
	config, err := ctrl.GetConfig()
	if err != nil {
		return nil, err
	}
	config.QPS = -1
	return client.New(config, client.Options{Scheme: scheme})
}

// create makes the children and writes the status.
func create(ctx context.Context, plain client.Client, echo *v1alpha1.EchoServer) error {
	for _, child := range []client.Object{children.ConfigMap(echo), children.Service(echo), children.Deployment(echo)} {
		if err := ctrl.SetControllerReference(echo, child, plain.Scheme()); err != nil {
			return err
		}
		if err := plain.Create(ctx, child); err != nil {
			return err
		}
	}
	return writeStatus(ctx, plain, echo)
}

// update changes the image of the Deployment and writes the status.
func update(ctx context.Context, plain client.Client, echo *v1alpha1.EchoServer) error {
	deployment := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: echo.Name, Namespace: echo.Namespace}}
	patch := `{"spec":{"template":{"spec":{"containers":[{"name":"` + children.Container + `","image":"` + echo.Spec.Image + `"}]}}}}`
	if err := plain.Patch(ctx, deployment, client.RawPatch(types.StrategicMergePatchType, []byte(patch))); err != nil {
		return err
	}
	return writeStatus(ctx, plain, echo)
}

func writeStatus(ctx context.Context, plain client.Client, echo *v1alpha1.EchoServer) error {
	echo.Status = v1alpha1.EchoServerStatus{
		URL:                children.URL(echo),
		ObservedGeneration: echo.Generation,
		Conditions: []metav1.Condition{{
			Type: "Ready", Status: metav1.ConditionFalse, Reason: "Progressing", Message: "the Deployment is not available yet",
			ObservedGeneration: echo.Generation, LastTransitionTime: metav1.Now(),
		}},
	}
	return plain.Status().Update(ctx, echo)
}
