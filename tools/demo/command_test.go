//go:build unix

package main

import (
	"context"
	"errors"
	"os/exec"
	"strings"
	"testing"
	"time"
)

func TestRunCommand(t *testing.T) {
	out, err := runCommand(newCommand(t.Context(), nil, "", "/bin/sh", "-c", "echo data; echo report >&2"))
	if err != nil || string(out) != "data\n" {
		t.Errorf("got %q, %v, expected the standard output alone", out, err)
	}
	_, err = runCommand(newCommand(t.Context(), nil, "", "/bin/sh", "-c", "echo data; echo report >&2; exit 3"))
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 3 || !strings.Contains(err.Error(), "data\n") || !strings.Contains(err.Error(), "report\n") { // in any order
		t.Errorf("got %v, expected exit code 3 and everything that was printed", err)
	}
}

func TestInterruptedCommandEndsWithItsChildren(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	b, err := startCommand(newCommand(ctx, nil, "", "/bin/sh", "-c", "echo half; sleep 60; true"))
	if err != nil {
		t.Fatal(err)
	}
	for b.printed.lastLine() != "half" {
		time.Sleep(10 * time.Millisecond)
	}
	if !b.running() {
		t.Error("it has ended before it was interrupted")
	}
	cancel()
	start := time.Now()
	// The command's output ends with the last process that holds it.
	if err := b.wait(); err == nil || !strings.Contains(err.Error(), "half\n") {
		t.Errorf("got %v, expected an error with what was printed", err)
	}
	if took := time.Since(start); took > endGrace/2 {
		t.Errorf("a child was still there %s after the interruption", took)
	}
}

func TestBuildPhase(t *testing.T) {
	for line, expected := range map[string]string{
		"building Kubernetes v1.36.3, once: downloading modules, 0s":                "downloading modules",
		"building Kubernetes v1.36.3, once: compiling 381 of 2360 packages, 28s":    "compiling 381 of 2360 packages",
		"building Kubernetes v1.36.3, once: compiling 2049 of 2360 packages, 2m14s": "compiling 2049 of 2360 packages",
		"building Kubernetes v1.36.3, once: linking 2360 of 2360 packages, 2m34s":   "linking 2360 of 2360 packages",
		"building Kubernetes v1.36.3, once: waiting for another build, 1s":          "waiting for another build",
		"": "",
	} {
		if got := buildPhase(line); got != expected {
			t.Errorf("buildPhase(%q) = %q, expected %q", line, got, expected)
		}
	}
}
