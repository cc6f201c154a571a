package main

import (
	"context"
	"maps"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/opgen-dev/opgen/bench/fleet/operator/api/v1alpha1"
	"github.com/opgen-dev/opgen/bench/fleet/operator/children"
)

// careful sets the fields that it means and leaves what the API server defaults, so that a converged parent is not
// written again.
type careful struct{ client.Client }

func addCareful(mgr ctrl.Manager, workers int) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&v1alpha1.EchoServer{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Owns(&corev1.ConfigMap{}).
		Owns(&corev1.Service{}).
		Owns(&appsv1.Deployment{}).
		WithOptions(controller.Options{MaxConcurrentReconciles: workers}).
		Complete(&careful{mgr.GetClient()})
}

// Reconcile brings about what one EchoServer wants.
func (r *careful) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	echo := new(v1alpha1.EchoServer)
	if err := r.Get(ctx, request.NamespacedName, echo); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !echo.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, nil
	}
	name := metav1.ObjectMeta{Name: echo.Name, Namespace: echo.Namespace}

	configMap := &corev1.ConfigMap{ObjectMeta: name}
	if err := r.ensure(ctx, echo, configMap, func() {
		configMap.Data = children.ConfigMap(echo).Data
	}); err != nil {
		return ctrl.Result{}, err
	}
	service := &corev1.Service{ObjectMeta: name}
	if err := r.ensure(ctx, echo, service, func() {
		want := children.Service(echo)
		service.Spec.Type, service.Spec.Selector, service.Spec.Ports = want.Spec.Type, want.Spec.Selector, want.Spec.Ports
	}); err != nil {
		return ctrl.Result{}, err
	}
	deployment := &appsv1.Deployment{ObjectMeta: name}
	if err := r.ensure(ctx, echo, deployment, func() { setDeployment(deployment, children.Deployment(echo)) }); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, r.writeStatus(ctx, echo, deployment)
}

// ensure creates or updates a child.
func (r *careful) ensure(ctx context.Context, echo *v1alpha1.EchoServer, child client.Object, set func()) error {
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, child, func() error {
		labels := child.GetLabels()
		if labels == nil {
			labels = map[string]string{}
		}
		maps.Copy(labels, children.Labels(echo))
		child.SetLabels(labels)
		set()
		return controllerutil.SetControllerReference(echo, child, r.Scheme())
	})
	return err
}

// setDeployment sets what is meant of a Deployment: the whole of a new one, and of another what may change.
func setDeployment(deployment, want *appsv1.Deployment) {
	if deployment.ResourceVersion == "" {
		deployment.Spec = want.Spec
		return
	}
	deployment.Spec.Replicas = want.Spec.Replicas
	deployment.Spec.Template.Labels = want.Spec.Template.Labels
	containers := deployment.Spec.Template.Spec.Containers
	if len(containers) != 1 || containers[0].Name != children.Container {
		deployment.Spec.Template.Spec.Containers = want.Spec.Template.Spec.Containers
		return
	}
	have, wanted := &containers[0], want.Spec.Template.Spec.Containers[0]
	have.Image, have.Env, have.Ports = wanted.Image, wanted.Env, wanted.Ports
	have.VolumeMounts = wanted.VolumeMounts
	if !equality.Semantic.DeepEqual(have.Resources, wanted.Resources) {
		have.Resources = wanted.Resources
	}
}

// writeStatus writes the status if it differs.
func (r *careful) writeStatus(ctx context.Context, echo *v1alpha1.EchoServer, deployment *appsv1.Deployment) error {
	before := echo.Status.DeepCopy()
	setStatus(echo, deployment)
	if equality.Semantic.DeepEqual(before, &echo.Status) {
		return nil
	}
	return r.Status().Update(ctx, echo)
}

func setStatus(echo *v1alpha1.EchoServer, deployment *appsv1.Deployment) {
	echo.Status.URL = children.URL(echo)
	echo.Status.ReadyReplicas = deployment.Status.ReadyReplicas
	echo.Status.ObservedGeneration = echo.Generation
	ready := metav1.Condition{
		Type: "Ready", Status: metav1.ConditionFalse, Reason: "Progressing", Message: "the Deployment is not available yet",
		ObservedGeneration: echo.Generation,
	}
	if *deployment.Spec.Replicas == deployment.Status.AvailableReplicas {
		ready.Status, ready.Reason, ready.Message = metav1.ConditionTrue, "Ready", "the Deployment is available"
	}
	meta.SetStatusCondition(&echo.Status.Conditions, ready)
}
