package deployment

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// DeleteCRDs deletes the CRDs of data that are not kept, with all objects of their kinds, and waits
// until they are gone. One that was deleted and created again since it was counted stays, and is an
// error.
//
// Objects with a finalizer stay until their operator has removed it: if that takes longer than the
// timeout, the error names them.
func (c *Cluster) DeleteCRDs(ctx context.Context, data []Data, timeout time.Duration) ([]Change, error) {
	var changes []Change
	var errs []error
	var deleting []Data
	for _, each := range data {
		if each.Kept != "" {
			continue
		}
		crd := crdOf(each)
		if err := c.delete(ctx, crd, metav1.DeletePropagationBackground); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", titleOf(crd), err))
			continue
		}
		deleting = append(deleting, each)
	}
	end := time.Now().Add(timeout)
	for _, each := range deleting {
		crd := crdOf(each)
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
	crd := crdOf(data)
	if left, countErr := c.countAgain(ctx, crd); countErr == nil && left.Held > 0 {
		return fmt.Errorf("%s: %w: %d of its objects have finalizers: %s\n    %s",
			titleOf(crd), err, left.Held, strings.Join(left.Finalizers, ", "), adviseOnFinalizers(crd.GetName(), left.Finalizers))
	}
	return fmt.Errorf("%s: %w", titleOf(crd), err)
}

// adviseOnFinalizers says who removes the finalizers of the objects of a CRD: an operator of this project has named its
// own after the group.
func adviseOnFinalizers(crd string, finalizers []string) string {
	_, group, _ := strings.Cut(crd, ".")
	if slices.Contains(finalizers, group+"/finalizer") {
		return "their operator removes these: run make deploy, and wait until the objects are gone"
	}
	return "no operator of this project has set these: wait until the objects are gone, or ask whose they are"
}

// countAgain counts the objects of a CRD of which only the name is known.
func (c *Cluster) countAgain(ctx context.Context, named *Object) (Data, error) {
	crd, err := c.read(ctx, named)
	if err != nil || crd == nil {
		return Data{}, err
	}
	return c.count(ctx, crd)
}

// delete deletes an object, and if its UID is known no other one of its name. One that does not exist
// is no error.
func (c *Cluster) delete(ctx context.Context, o *Object, propagation metav1.DeletionPropagation) error {
	client, err := c.access(o)
	if err != nil {
		return err
	}
	options := metav1.DeleteOptions{PropagationPolicy: &propagation}
	if uid := o.GetUID(); uid != "" {
		options.Preconditions = metav1.NewUIDPreconditions(string(uid))
	}
	err = client.Delete(ctx, o.GetName(), options)
	switch {
	case apierrors.IsNotFound(err):
		return nil
	case apierrors.IsConflict(err):
		return fmt.Errorf("it is another one than before: %w\n    run the command again, to see what goes now", err)
	}
	return err
}

// awaitGone waits until an object does not exist.
func (c *Cluster) awaitGone(ctx context.Context, o *Object, timeout time.Duration) error {
	return waitUntil(ctx, timeout, "it is still being deleted", func(ctx context.Context) (bool, error) {
		exists, err := c.exists(ctx, o)
		return !exists, err
	})
}
