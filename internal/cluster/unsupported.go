//go:build !linux && !darwin

package cluster

import (
	"context"
	"errors"
	"os"
	"os/exec"
)

var errUnsupported = errors.New("the local Kubernetes runs on Linux and macOS alone; set KUBECONFIG to use another cluster")

type lock struct{}

func acquireLock(context.Context, string, func()) (*lock, error) { return nil, errUnsupported }

func tryLock(string) (*lock, error) { return nil, errUnsupported }

func (*lock) releaseAndRemove() {}

func startOwnGroup(*exec.Cmd) {}

func detachFromTerminal(*exec.Cmd) {}

func terminateProcess(int) error { return errUnsupported }

func killProcess(int) error { return errUnsupported }

func startTime(int) string { return "" }

func residentMemory(int) int64 { return 0 }

// ExecKubectl is not supported on this system.
func ExecKubectl(string, []string, []string) error { return errUnsupported }

func ownerOf(os.FileInfo) int { return 0 }
