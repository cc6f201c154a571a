package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/yaml"
)

const namespace = "default"

var echoServers = schema.GroupVersionResource{Group: "demo.example.com", Version: "v1alpha1", Resource: "echoservers"}

// objects is what the demo does in the cluster.
type objects struct {
	project *project
	core    kubernetes.Interface
	parents dynamic.ResourceInterface
	name    string // of the EchoServer and of its children
}

// create applies the sample and waits until its children exist and its status is written.
func (o *objects) create(ctx context.Context) error {
	if err := o.connect(); err != nil {
		return err
	}
	data, err := os.ReadFile(sampleFile)
	if err != nil {
		return err
	}
	var sample unstructured.Unstructured
	if err := yaml.Unmarshal(data, &sample.Object); err != nil {
		return fmt.Errorf("%s: %w", sampleFile, err)
	}
	o.name = sample.GetName()
	if _, err := o.parents.Create(ctx, &sample, metav1.CreateOptions{}); err != nil {
		return err
	}
	return o.eventually(ctx, func() error {
		pod, service, err := o.children(ctx)
		if err != nil {
			return err
		}
		parent, err := o.parents.Get(ctx, o.name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		phase, _, _ := unstructured.NestedString(parent.Object, "status", "phase")
		message, _, _ := unstructured.NestedString(parent.Object, "status", "message")
		observed, _, _ := unstructured.NestedInt64(parent.Object, "status", "observedGeneration")
		if phase == "" || observed != parent.GetGeneration() {
			return errors.New("the status of the EchoServer is not written")
		}
		say("pod/%s and service/%s exist; status: phase %s, message %q", pod.Name, service.Name, phase, message)
		return nil
	})
}

// change edits the spec. Roperator's example, which this one follows, updates the Service and replaces the Pod.
func (o *objects) change(ctx context.Context) error {
	podBefore, serviceBefore, err := o.children(ctx)
	if err != nil {
		return err
	}
	const serviceName = "changed"
	patch := []byte(`{"spec":{"serviceName":"` + serviceName + `"}}`)
	if _, err := o.parents.Patch(ctx, o.name, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
		return err
	}
	return o.eventually(ctx, func() error {
		pod, service, err := o.children(ctx)
		if err != nil {
			return err
		}
		switch label := "app.kubernetes.io/name"; {
		case service.Spec.Selector[label] != serviceName:
			return fmt.Errorf("the Service selects %q", service.Spec.Selector[label])
		case service.UID != serviceBefore.UID:
			return errors.New("the Service is another object")
		case pod.Labels[label] != serviceName:
			return fmt.Errorf("the Pod has the label %q", pod.Labels[label])
		case pod.UID == podBefore.UID:
			return errors.New("the Pod is still the same object")
		}
		say("service/%s was updated in place; pod/%s was made anew", service.Name, pod.Name)
		return nil
	})
}

// deleteChild deletes the Service and waits for another one of that name.
func (o *objects) deleteChild(ctx context.Context) error {
	_, before, err := o.children(ctx)
	if err != nil {
		return err
	}
	if err := o.core.CoreV1().Services(namespace).Delete(ctx, o.name, metav1.DeleteOptions{}); err != nil {
		return err
	}
	return o.eventually(ctx, func() error {
		_, service, err := o.children(ctx)
		if err != nil {
			return err
		}
		if service.UID == before.UID {
			return errors.New("the Service is still there")
		}
		say("service/%s is back", service.Name)
		return nil
	})
}

// deleteParent deletes the EchoServer and waits until the garbage collector has removed both children.
func (o *objects) deleteParent(ctx context.Context) error {
	if err := o.parents.Delete(ctx, o.name, metav1.DeleteOptions{}); err != nil {
		return err
	}
	return o.eventually(ctx, func() error {
		_, podErr := o.core.CoreV1().Pods(namespace).Get(ctx, o.name, metav1.GetOptions{})
		_, serviceErr := o.core.CoreV1().Services(namespace).Get(ctx, o.name, metav1.GetOptions{})
		if err := errors.Join(gone("Pod", podErr), gone("Service", serviceErr)); err != nil {
			return err
		}
		say("pod/%s and service/%s are gone", o.name, o.name)
		return nil
	})
}

// gone turns the answer to a get into an error unless it is that there is no such object.
func gone(kind string, err error) error {
	if err == nil {
		return fmt.Errorf("the %s is still there", kind)
	}
	if apierrors.IsNotFound(err) {
		return nil
	}
	return fmt.Errorf("get the %s: %w", kind, err)
}

func (o *objects) children(ctx context.Context) (*corev1.Pod, *corev1.Service, error) {
	pod, err := o.core.CoreV1().Pods(namespace).Get(ctx, o.name, metav1.GetOptions{})
	if err != nil {
		return nil, nil, err
	}
	service, err := o.core.CoreV1().Services(namespace).Get(ctx, o.name, metav1.GetOptions{})
	return pod, service, err
}

func (o *objects) connect() error {
	config, err := clientcmd.BuildConfigFromFlags("", o.project.kubeconfig)
	if err != nil {
		return err
	}
	if o.core, err = kubernetes.NewForConfig(config); err != nil {
		return err
	}
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return err
	}
	o.parents = client.Resource(echoServers).Namespace(namespace)
	return nil
}

// eventually asks every 50 ms, for 60 s at the most, until the answer is nil; it gives up early when the
// operator has ended.
func (o *objects) eventually(ctx context.Context, ask func() error) error {
	deadline := time.Now().Add(60 * time.Second)
	for {
		err := ask()
		if err == nil {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("not within 60 s: %w", err)
		}
		select {
		case ended := <-o.project.exited:
			o.project.exited <- ended
			return errors.Join(errors.New("the operator ended"), ended)
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
}
