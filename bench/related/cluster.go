package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// label is on the ConfigMaps that are parents.
const label = "related.bench.opgen.dev/parent"

// cluster is a namespace with Secrets and parents.
type cluster struct {
	client.Client
	namespace string
}

func newCluster(ctx context.Context) (*cluster, error) {
	config, err := ctrl.GetConfig()
	if err != nil {
		return nil, err
	}
	config.QPS = -1
	made, err := client.New(config, client.Options{})
	if err != nil {
		return nil, err
	}
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "related-bench-"}}
	if err := made.Create(ctx, namespace); err != nil {
		return nil, err
	}
	return &cluster{made, namespace.Name}, nil
}

// remove deletes what the run has created.
func (c *cluster) remove() {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	for _, all := range []client.Object{&corev1.Secret{}, &corev1.ConfigMap{}} {
		_ = c.DeleteAllOf(ctx, all, client.InNamespace(c.namespace))
	}
	_ = c.Delete(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: c.namespace}})
}

// createSecrets creates the Secrets of some numbers.
func (c *cluster) createSecrets(ctx context.Context, from, to, size int) error {
	return each(ctx, from, to, func(ctx context.Context, i int) error {
		data := make([]byte, size)
		if _, err := rand.Read(data); err != nil {
			return err
		}
		return c.Create(ctx, &corev1.Secret{ObjectMeta: c.meta(secretName(i)), Data: map[string][]byte{"data": data}})
	})
}

// createParents creates the parents of some numbers. Each names the Secret of its number.
func (c *cluster) createParents(ctx context.Context, from, to int) error {
	return each(ctx, from, to, func(ctx context.Context, i int) error {
		parent := &corev1.ConfigMap{ObjectMeta: c.meta(fmt.Sprintf("parent-%04d", i)), Data: map[string]string{"secret": secretName(i)}}
		parent.Labels = map[string]string{label: ""}
		return c.Create(ctx, parent)
	})
}

func (c *cluster) meta(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: c.namespace, Name: name}
}

func secretName(i int) string { return fmt.Sprintf("secret-%04d", i) }

// each calls a function with some numbers, several at once.
func each(ctx context.Context, from, to int, call func(context.Context, int) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(16)
	for i := from; i < to; i++ {
		group.Go(func() error { return call(ctx, i) })
	}
	return group.Wait()
}
