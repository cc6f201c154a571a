// Package podlogger logs Pods, Deployments and StatefulSets.
package podlogger

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/opgen-dev/opgen/runtime/operator"
)

// workVariable names the environment variable that says how long the work on an object takes, such
// as 2s. The work makes concurrency visible.
const workVariable = "POD_LOGGER_WORK"

// Reconciler logs objects.
type Reconciler struct {
	work func(context.Context, client.Object) error // after an object is logged
}

// New makes the controller when the operator starts.
func New(operator.Manager) (operator.Controller, error) {
	duration, err := time.ParseDuration(cmp.Or(os.Getenv(workVariable), "0s"))
	if err != nil {
		return operator.Controller{}, fmt.Errorf("%s: %w", workVariable, err)
	}
	work := func(ctx context.Context, _ client.Object) error { return wait(ctx, duration) }
	return Controller(&Reconciler{work: work}), nil
}

// Sync logs an object and wants nothing. The logger of the context adds the controller, and the
// namespace and name of the object, to each line.
func (r *Reconciler) Sync(ctx context.Context, req *Request) (*Response, error) {
	logger := log.FromContext(ctx)
	switch parent := req.Parent.(type) {
	case *corev1.Pod:
		logger.Info("saw a Pod", "phase", parent.Status.Phase)
	case *appsv1.Deployment:
		logger.Info("saw a Deployment", "ready", parent.Status.ReadyReplicas)
	case *appsv1.StatefulSet:
		logger.Info("saw a StatefulSet", "ready", parent.Status.ReadyReplicas)
	}
	if err := r.work(ctx, req.Parent); err != nil {
		return nil, err
	}
	return new(Response), nil
}

// wait returns after a duration, or with an error if the context ends before: when the operator
// stops, or when Sync takes longer than its timeout.
func wait(ctx context.Context, duration time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(duration):
		return nil
	}
}
