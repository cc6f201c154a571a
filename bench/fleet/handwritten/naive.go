package main

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/opgen-dev/opgen/bench/fleet/operator/api/v1alpha1"
	"github.com/opgen-dev/opgen/bench/fleet/operator/children"
)

// naive applies every child and the status in each reconcile, and lets the API server find out what differs.
type naive struct{ client.Client }

const manager = client.FieldOwner("echoserver")

func addNaive(mgr ctrl.Manager, workers int) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&v1alpha1.EchoServer{}).
		Owns(&corev1.ConfigMap{}).
		Owns(&corev1.Service{}).
		Owns(&appsv1.Deployment{}).
		WithOptions(controller.Options{MaxConcurrentReconciles: workers}).
		Complete(&naive{mgr.GetClient()})
}

// Reconcile applies what one EchoServer wants.
func (r *naive) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	echo := new(v1alpha1.EchoServer)
	if err := r.Get(ctx, request.NamespacedName, echo); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !echo.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, nil
	}
	deployment := children.Deployment(echo)
	for _, child := range []client.Object{children.ConfigMap(echo), children.Service(echo), deployment} {
		if err := controllerutil.SetControllerReference(echo, child, r.Scheme()); err != nil {
			return ctrl.Result{}, err
		}
		configuration, err := r.configuration(child)
		if err != nil {
			return ctrl.Result{}, err
		}
		if err := r.Apply(ctx, configuration, manager, client.ForceOwnership); err != nil {
			return ctrl.Result{}, err
		}
	}
	live := new(appsv1.Deployment)
	if err := r.Get(ctx, request.NamespacedName, live); err == nil {
		deployment.Status = live.Status
	}
	return ctrl.Result{}, r.applyStatus(ctx, echo, deployment)
}

func (r *naive) applyStatus(ctx context.Context, echo *v1alpha1.EchoServer, deployment *appsv1.Deployment) error {
	setStatus(echo, deployment)
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(echo)
	if err != nil {
		return err
	}
	status := &unstructured.Unstructured{Object: map[string]any{"status": content["status"]}}
	status.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind("EchoServer"))
	status.SetName(echo.Name)
	status.SetNamespace(echo.Namespace)
	return r.Status().Apply(ctx, client.ApplyConfigurationFromUnstructured(status), manager, client.ForceOwnership)
}

// configuration turns a child into what can be applied: with its kind, and without what only the API server sets.
func (r *naive) configuration(child client.Object) (runtime.ApplyConfiguration, error) {
	kind, err := apiutil.GVKForObject(child, r.Scheme())
	if err != nil {
		return nil, err
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(child)
	if err != nil {
		return nil, err
	}
	object := &unstructured.Unstructured{Object: content}
	object.SetGroupVersionKind(kind)
	unstructured.RemoveNestedField(content, "metadata", "creationTimestamp")
	unstructured.RemoveNestedField(content, "status")
	return client.ApplyConfigurationFromUnstructured(object), nil
}
