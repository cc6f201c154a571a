package deployment

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// DeleteCRDs deletes CRDs, with all objects of their kinds, and waits until they are gone. Objects
// with a finalizer stay until their operator has removed it: if that takes longer than the timeout,
// the error names them.
func (c *Cluster) DeleteCRDs(ctx context.Context, data []Data, timeout time.Duration) ([]Change, error) {
	var changes []Change
	var errs []error
	for _, each := range data {
		crd := crdNamed(each.CRD)
		if err := c.delete(ctx, crd, metav1.DeletePropagationBackground); err != nil {
			errs = append(errs, err)
		}
	}
	end := time.Now().Add(timeout)
	for _, each := range data {
		crd := crdNamed(each.CRD)
		err := c.awaitGone(ctx, crd, time.Until(end))
		if err != nil {
			errs = append(errs, c.explainHeld(ctx, each, err))
			continue
		}
		changes = append(changes, changeOf(crd, Deleted, ""))
	}
	return changes, errors.Join(errs...)
}

// explainHeld says which objects keep a CRD from going away.
func (c *Cluster) explainHeld(ctx context.Context, data Data, err error) error {
	crd := crdNamed(data.CRD)
	if left, countErr := c.countAgain(ctx, crd); countErr == nil && left.Held > 0 {
		return fmt.Errorf("%s: %w: %d of its objects have finalizers: %s\n    their operator removes these: run make deploy, and wait until the objects are gone",
			titleOf(crd), err, left.Held, strings.Join(left.Finalizers, ", "))
	}
	return fmt.Errorf("%s: %w", titleOf(crd), err)
}

// countAgain counts the objects of a CRD of which only the name is known.
func (c *Cluster) countAgain(ctx context.Context, named *Object) (Data, error) {
	client, err := c.access(named)
	if err != nil {
		return Data{}, err
	}
	crd, err := client.Get(ctx, named.GetName(), metav1.GetOptions{})
	if err != nil {
		return Data{}, err
	}
	return c.count(ctx, crd)
}

// delete deletes an object. One that does not exist is no error.
func (c *Cluster) delete(ctx context.Context, o *Object, propagation metav1.DeletionPropagation) error {
	client, err := c.access(o)
	if err != nil {
		return err
	}
	err = client.Delete(ctx, o.GetName(), metav1.DeleteOptions{PropagationPolicy: &propagation})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("%s: %w", titleOf(o), err)
	}
	return nil
}

// awaitGone waits until an object does not exist.
func (c *Cluster) awaitGone(ctx context.Context, o *Object, timeout time.Duration) error {
	return waitUntil(ctx, timeout, "it is still being deleted", func(ctx context.Context) (bool, error) {
		exists, err := c.exists(ctx, o)
		return !exists, err
	})
}
