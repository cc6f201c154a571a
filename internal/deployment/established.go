package deployment

import (
	"context"
	"errors"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// establishTimeout bounds the wait for CRDs. It usually takes a fraction of a second.
const establishTimeout = time.Minute

// pollInterval is how often a wait looks.
const pollInterval = 250 * time.Millisecond

// awaitEstablished waits until the API server serves the kinds of the CRDs among the objects.
func (c *Cluster) awaitEstablished(ctx context.Context, objects []*Object) error {
	waits := false
	for _, object := range objects {
		if !isCRD(object) {
			continue
		}
		waits = true
		if err := c.awaitCRD(ctx, object); err != nil {
			return fmt.Errorf("%s: %w", titleOf(object), err)
		}
	}
	if !waits {
		return nil
	}
	return c.awaitServed(ctx, objects)
}

// awaitCRD waits until a CRD is established. Names that another CRD has are an error at once.
func (c *Cluster) awaitCRD(ctx context.Context, crd *Object) error {
	client, err := c.access(crd)
	if err != nil {
		return err
	}
	return waitUntil(ctx, establishTimeout, "it is not established", func(ctx context.Context) (bool, error) {
		live, err := client.Get(ctx, crd.GetName(), metav1.GetOptions{})
		if err != nil {
			return false, err
		}
		if accepted, message := conditionOf(live, "NamesAccepted"); accepted == "False" {
			return false, errors.New(message)
		}
		established, _ := conditionOf(live, "Established")
		return established == "True", nil
	})
}

// awaitServed waits until the API server's list of kinds has those of the CRDs, which is a moment
// after they are established.
func (c *Cluster) awaitServed(ctx context.Context, objects []*Object) error {
	return waitUntil(ctx, establishTimeout, "the API server does not serve the kinds of the CRDs", func(ctx context.Context) (bool, error) {
		if err := c.readResources(ctx); err != nil {
			return false, err
		}
		for _, object := range objects {
			if !isCRD(object) {
				continue
			}
			if _, served := c.resources.find(groupKindOfCRD(object), ""); !served {
				return false, nil
			}
		}
		return true, nil
	})
}

// waitUntil looks until a condition holds. After a while the error is the problem that was waited
// for to go.
func waitUntil(ctx context.Context, timeout time.Duration, problem string, holds func(context.Context) (bool, error)) error {
	end := time.Now().Add(timeout)
	for {
		done, err := holds(ctx)
		if err != nil || done {
			return err
		}
		if time.Now().After(end) {
			return fmt.Errorf("%s after %s", problem, timeout.Round(time.Second))
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(pollInterval):
		}
	}
}

// conditionOf returns the status and the message of a condition.
func conditionOf(o *Object, name string) (status, message string) {
	conditions, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
	for _, item := range conditions {
		condition, _ := item.(map[string]any)
		if condition["type"] == name {
			status, _ = condition["status"].(string)
			message, _ = condition["message"].(string)
		}
	}
	return status, message
}
