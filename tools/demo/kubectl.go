package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
)

const namespace = "default"

// object is what the demo reads of an EchoServer, a Pod or a Service.
type object struct {
	Kind     string
	Metadata struct {
		Name, UID  string
		Generation int64
		Labels     map[string]string
	}
	Spec struct {
		Selector map[string]string // of a Service
	}
	Status struct {
		Phase, Message     string
		ObservedGeneration int64
	}
}

// kubectl runs the control plane's kubectl and returns what it prints.
func (c *controlPlane) kubectl(ctx context.Context, args ...string) (string, error) {
	out, err := runCommand(c.command(ctx, "kubectl", append([]string{"--namespace", namespace}, args...)...))
	return strings.TrimSpace(string(out)), err
}

// get returns those of the objects that exist, by kind. An object is named as TYPE/NAME.
func (c *controlPlane) get(ctx context.Context, names ...string) (map[string]object, error) {
	out, err := c.kubectl(ctx, append([]string{"get", "--ignore-not-found", "--output", "json"}, names...)...)
	if err != nil || out == "" {
		return nil, err
	}
	var list struct{ Items []object }
	if err := json.Unmarshal([]byte(out), &list); err != nil {
		return nil, fmt.Errorf("read what kubectl get prints: %w", err)
	}
	found := map[string]object{}
	for _, item := range list.Items {
		found[item.Kind] = item
	}
	return found, nil
}
