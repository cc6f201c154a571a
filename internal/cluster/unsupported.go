//go:build !linux && !darwin

package cluster

import (
	"context"
	"errors"
	"os/exec"
)

var errUnsupported = errors.New("the local Kubernetes runs on Linux and macOS alone; set KUBECONFIG to use another cluster")

type lock struct{}

func acquire(context.Context, string, func()) (*lock, error) { return nil, errUnsupported }

func (*lock) releaseAndRemove() {}

func ownGroup(*exec.Cmd) {}

func detach(*exec.Cmd) {}

func terminate(int) error { return errUnsupported }

func forceKill(int) error { return errUnsupported }

func startOf(int) string { return "" }

func memoryOf(int) int64 { return 0 }

// ExecKubectl is not supported on this system.
func ExecKubectl(string, []string, []string) error { return errUnsupported }
