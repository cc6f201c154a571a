package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"
)

// nameLabel is the label by which the Service selects the Pod.
const nameLabel = "app.kubernetes.io/name"

// objects is what the demo does in the cluster.
type objects struct {
	project *project
	name    string // of the EchoServer and of its children
}

// echo is an EchoServer and its children.
type echo struct{ parent, pod, service object }

// create applies the sample and waits until its children exist and its status is written.
func (o *objects) create(ctx context.Context) error {
	applied, err := o.kubectl(ctx, "apply", "--output", "name", "--filename", filepath.Join(o.project.checkout, sampleFile))
	if err != nil {
		return err
	}
	_, o.name, _ = strings.Cut(applied, "/")
	return o.eventually(ctx, func() error {
		e, err := o.observe(ctx)
		if err != nil {
			return err
		}
		status := e.parent.Status
		if status.Phase == "" || status.ObservedGeneration != e.parent.Metadata.Generation {
			return errors.New("the status of the EchoServer is not written")
		}
		o.say("pod/%s and service/%s exist; status: phase %s, message %q", e.pod.Metadata.Name, e.service.Metadata.Name, status.Phase, status.Message)
		return nil
	})
}

// change edits the spec. Roperator's example, which this one follows, updates the Service and
// recreates the Pod.
func (o *objects) change(ctx context.Context) error {
	before, err := o.observe(ctx)
	if err != nil {
		return err
	}
	const serviceName = "changed"
	patch := `{"spec":{"serviceName":"` + serviceName + `"}}`
	if _, err := o.kubectl(ctx, "patch", o.parent(), "--type", "merge", "--patch", patch); err != nil {
		return err
	}
	return o.eventually(ctx, func() error {
		e, err := o.observe(ctx)
		if err != nil {
			return err
		}
		switch {
		case e.service.Spec.Selector[nameLabel] != serviceName:
			return fmt.Errorf("the Service selects %q", e.service.Spec.Selector[nameLabel])
		case e.service.Metadata.UID != before.service.Metadata.UID:
			return errors.New("the Service is another object")
		case e.pod.Metadata.Labels[nameLabel] != serviceName:
			return fmt.Errorf("the Pod has the label %q", e.pod.Metadata.Labels[nameLabel])
		case e.pod.Metadata.UID == before.pod.Metadata.UID:
			return errors.New("the Pod is still the same object")
		}
		o.say("service/%s was updated in place; pod/%s was recreated", e.service.Metadata.Name, e.pod.Metadata.Name)
		return nil
	})
}

// deleteChild deletes the Service and waits for another one of that name.
func (o *objects) deleteChild(ctx context.Context) error {
	before, err := o.observe(ctx)
	if err != nil {
		return err
	}
	if _, err := o.kubectl(ctx, "delete", "--wait=false", "service/"+o.name); err != nil {
		return err
	}
	return o.eventually(ctx, func() error {
		e, err := o.observe(ctx)
		if err != nil {
			return err
		}
		if e.service.Metadata.UID == before.service.Metadata.UID {
			return errors.New("the Service is still there")
		}
		o.say("service/%s is back", e.service.Metadata.Name)
		return nil
	})
}

// deleteParent deletes the EchoServer and waits until the garbage collector has deleted both
// children.
func (o *objects) deleteParent(ctx context.Context) error {
	if _, err := o.kubectl(ctx, "delete", "--wait=false", o.parent()); err != nil {
		return err
	}
	return o.eventually(ctx, func() error {
		found, err := o.project.cluster.get(ctx, "pod/"+o.name, "service/"+o.name)
		if err != nil {
			return err
		}
		for kind := range found {
			return fmt.Errorf("the %s is still there", kind)
		}
		o.say("pod/%s and service/%s are gone", o.name, o.name)
		return nil
	})
}

// observe reads the EchoServer and its children, which must exist.
func (o *objects) observe(ctx context.Context) (e echo, err error) {
	found, err := o.project.cluster.get(ctx, o.parent(), "pod/"+o.name, "service/"+o.name)
	if err != nil {
		return e, err
	}
	for kind, into := range map[string]*object{"EchoServer": &e.parent, "Pod": &e.pod, "Service": &e.service} {
		object, exists := found[kind]
		if !exists {
			return e, fmt.Errorf("there is no %s %s", kind, o.name)
		}
		*into = object
	}
	return e, nil
}

func (o *objects) parent() string { return "echoservers.demo.example.com/" + o.name }

func (o *objects) kubectl(ctx context.Context, args ...string) (string, error) {
	return o.project.cluster.kubectl(ctx, args...)
}

func (o *objects) say(format string, args ...any) { o.project.screen.say(format, args...) }

// waitLimit is how long the demo waits for what the operator or a controller does. The garbage
// collector of a release of Kubernetes takes half a minute to learn of a new kind.
const waitLimit = 2 * time.Minute

// eventually asks every 50 ms until the answer is nil. It gives up when the time is over or the
// operator has ended.
func (o *objects) eventually(ctx context.Context, ask func() error) error {
	exited := o.project.operator.exited
	deadline := time.Now().Add(waitLimit)
	for {
		err := ask()
		if err == nil {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("not within %s: %w", waitLimit, err)
		}
		select {
		case ended := <-exited:
			exited <- ended
			return errors.Join(errors.New("the operator ended"), ended)
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
}
