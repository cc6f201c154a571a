package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// opgenCommand is opgen as a process of its own.
func opgenCommand(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), binary)
	cmd.Args = append([]string{"opgen"}, args...) // TestMain runs main under this name
	return cmd
}

// startReading starts a command that reads its standard input, and returns when it does so.
func startReading(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := opgenCommand(t, args...)
	input, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { input.Close() })
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := input.Write(bytes.Repeat([]byte("#"), 1<<18)); err != nil { // more than a pipe holds
		t.Fatal(err)
	}
	return cmd
}

// startWaiting starts a command that waits for the lock of a folder, and returns when it does so.
func startWaiting(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := opgenCommand(t, args...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waits := fmt.Sprintf(" %d ", cmd.Process.Pid)
	for range 1000 {
		locks, err := os.ReadFile("/proc/locks")
		if err != nil {
			t.Skip("no list of locks on this system:", err)
		}
		for line := range strings.Lines(string(locks)) {
			if strings.Contains(line, "-> FLOCK") && strings.Contains(line, waits) {
				return cmd
			}
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("does not wait")
	return nil
}

// A command that waits for its input, and one that waits for another opgen, end soon after a
// signal.
func TestSignalsEndCommands(t *testing.T) {
	inProject(t)
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		for _, args := range []string{"import -", "crd -", "create api -f -"} {
			t.Run(signal.String()+" "+args, func(t *testing.T) {
				endsSoon(t, startReading(t, strings.Fields(args)...), signal)
			})
		}
		for _, args := range []string{"generate", "check", "diff", "delete api --kind A"} {
			t.Run(signal.String()+" "+args, func(t *testing.T) {
				held, err := lockFolder(streams{err: io.Discard}, ".")
				if err != nil {
					t.Fatal(err)
				}
				defer held.Release()
				endsSoon(t, startWaiting(t, strings.Fields(args)...), signal)
			})
		}
	}
}

// endsSoon sends a signal to a command and expects its end.
func endsSoon(t *testing.T, cmd *exec.Cmd, signal syscall.Signal) {
	t.Helper()
	begin := time.Now()
	if err := cmd.Process.Signal(signal); err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != exitTrouble {
		t.Errorf("ended with %v, want exit code %d", err, exitTrouble)
	}
	if took := time.Since(begin); took > 30*time.Second { // it promises one, of a machine that is not busy
		t.Errorf("took %s", took)
	}
}

// A second signal ends a command at once, as if it had no handler. What a shell runs in the background ignores SIGINT, and
// would do so then.
func TestSecondSignalEndsAtOnce(t *testing.T) {
	inProject(t)
	cmd := startReading(t, "import", "-")
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for {
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
			t.Fatal(err)
		}
		select {
		case err := <-ended:
			var exit *exec.ExitError
			if !errors.As(err, &exit) {
				t.Fatal(err)
			}
			if status, ok := exit.Sys().(syscall.WaitStatus); !ok || status.Signal() != syscall.SIGTERM {
				t.Errorf("ended with %v, want the signal itself", err)
			}
			return
		case <-time.After(20 * time.Millisecond):
		}
	}
}
