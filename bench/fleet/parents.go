package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"golang.org/x/sync/errgroup"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/opgen-dev/opgen/bench/fleet/operator/api/v1alpha1"
)

// crd is the generated CRD of EchoServers.
const crd = "fleet/operator/deploy/zz_generated.crd.yaml"

// creators is how many parents are created and changed at once.
const creators = 10

// fleet is the parents of one contender in one round, and the user who creates and changes them.
type fleet struct {
	user      client.WithWatch
	namespace string
	size      int
}

func newFleet(ctx context.Context, kubeconfig, namespace string, size int) (*fleet, error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, err
	}
	config.QPS, config.UserAgent = -1, "fleet-user"
	scheme := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		return nil, err
	}
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		return nil, err
	}
	user, err := client.NewWithWatch(config, client.Options{Scheme: scheme})
	if err != nil {
		return nil, err
	}
	f := &fleet{user, namespace, size}
	if err := f.install(ctx); err != nil {
		return nil, err
	}
	return f, user.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}})
}

// install creates the CRD and waits until it is served.
func (f *fleet) install(ctx context.Context) error {
	data, err := os.ReadFile(crd)
	if err != nil {
		return err
	}
	definition := new(unstructured.Unstructured)
	if err := yaml.Unmarshal(data, &definition.Object); err != nil {
		return fmt.Errorf("%s: %w", crd, err)
	}
	if err := f.user.Create(ctx, definition); client.IgnoreAlreadyExists(err) != nil {
		return err
	}
	return until(ctx, 30*time.Second, 50*time.Millisecond, "the CRD is served", func() (bool, error) {
		err := f.user.List(ctx, new(v1alpha1.EchoServerList), client.InNamespace(f.namespace))
		return err == nil, nil
	})
}

// remove deletes everything of the fleet and waits until it is gone.
func (f *fleet) remove(ctx context.Context) error {
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: f.namespace}}
	if err := f.user.Delete(ctx, namespace); client.IgnoreNotFound(err) != nil {
		return err
	}
	return until(ctx, time.Hour, time.Second, "the namespace is gone", func() (bool, error) {
		err := f.user.Get(ctx, client.ObjectKeyFromObject(namespace), namespace)
		return apierrors.IsNotFound(err), client.IgnoreNotFound(err)
	})
}

func (f *fleet) name(i int) string { return fmt.Sprintf("echo-%05d", i) }

func (f *fleet) meta(i int) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: f.namespace, Name: f.name(i)}
}

// create creates all parents.
func (f *fleet) create(ctx context.Context) error {
	return f.each(ctx, func(ctx context.Context, i int) error {
		return f.user.Create(ctx, &v1alpha1.EchoServer{
			ObjectMeta: f.meta(i),
			Spec:       v1alpha1.EchoServerSpec{Message: "hello from " + f.name(i), Image: image(0)},
		})
	})
}

// change changes the image of all parents.
func (f *fleet) change(ctx context.Context, to string) error {
	return f.each(ctx, func(ctx context.Context, i int) error { return f.changeOne(ctx, i, to) })
}

func (f *fleet) changeOne(ctx context.Context, i int, to string) error {
	patch := client.RawPatch(types.MergePatchType, []byte(`{"spec":{"image":"`+to+`"}}`))
	return f.user.Patch(ctx, &v1alpha1.EchoServer{ObjectMeta: f.meta(i)}, patch)
}

func (f *fleet) each(ctx context.Context, do func(ctx context.Context, i int) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(creators)
	for i := range f.size {
		group.Go(func() error { return do(ctx, i) })
	}
	return group.Wait()
}

// check makes sure that a contender did its work: each parent has its Deployment, with this image.
func (f *fleet) check(ctx context.Context, image string) error {
	deployments := new(appsv1.DeploymentList)
	if err := f.user.List(ctx, deployments, client.InNamespace(f.namespace)); err != nil {
		return err
	}
	if len(deployments.Items) != f.size {
		return fmt.Errorf("%d parents have %d Deployments", f.size, len(deployments.Items))
	}
	for i := range deployments.Items {
		d := &deployments.Items[i]
		if got := d.Spec.Template.Spec.Containers[0].Image; got != image {
			return fmt.Errorf("the Deployment %s has image %s, want %s", d.Name, got, image)
		}
	}
	return nil
}

// image is the image of the parents after so many changes.
func image(changes int) string { return fmt.Sprintf("registry.example.com/echo:v%d", changes) }

// until waits until something is the case. what completes the sentence "waited until …".
func until(ctx context.Context, patience, interval time.Duration, what string, done func() (bool, error)) error {
	deadline := time.Now().Add(patience)
	for {
		ok, err := done()
		if ok || err != nil {
			return err
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("waited %s until %s", patience, what)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(interval):
		}
	}
}
