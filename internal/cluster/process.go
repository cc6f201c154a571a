package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"time"
)

// Process is one program of an instance.
type Process struct {
	Name    string `json:"name"`
	PID     int    `json:"pid"`
	Start   string `json:"start"`             // tells it from a later process with the same pid
	Address string `json:"address,omitempty"` // host:port that it serves on
}

// Running reports whether this very process still runs.
func (p Process) Running() bool { return p.PID > 0 && p.Start != "" && startTime(p.PID) == p.Start }

// heldProcess is a started process that does not run yet: it waits for its release, and ends when that never comes.
type heldProcess struct {
	Process
	pipe   *os.File
	exited chan struct{} // closed when the process has ended
}

// holder is what a shell runs to hold a program: it waits for a line from descriptor 3 and becomes the program, with
// the same pid and start time. It ends when the descriptor is closed without a line.
const holder = `read -r line <&3 && exec "$0" "$@" 3<&-`

// startHeld starts a program that outlives this process, with its output in a log file. The program itself knows nothing
// of being held.
func startHeld(name, path string, args []string, logFile string) (*heldProcess, error) {
	log, err := os.OpenFile(logFile, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	reader, writer, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	cmd := exec.Command("/bin/sh", append([]string{"-c", holder, path}, args...)...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.ExtraFiles = []*os.File{reader} // becomes descriptor 3
	detachFromTerminal(cmd)
	if err := cmd.Start(); err != nil {
		writer.Close()
		return nil, err
	}
	exited := make(chan struct{})
	go func() {
		_ = cmd.Wait() // that it has ended is all that counts
		close(exited)
	}()
	process := Process{Name: name, PID: cmd.Process.Pid, Start: startTime(cmd.Process.Pid)}
	return &heldProcess{Process: process, pipe: writer, exited: exited}, nil
}

// release lets the process run.
func (h *heldProcess) release() error {
	defer h.pipe.Close()
	_, err := h.pipe.Write([]byte("\n"))
	return err
}

// abandon lets the process end, if it was not released.
func (h *heldProcess) abandon() { h.pipe.Close() }

// stopGrace is how long a process has to end by itself. An instance is disposable, so it is short.
const stopGrace = 3 * time.Second

// stopProcesses ends processes, and returns when they are gone. The last started goes first, so that each can rely on
// those that it depends on until its end. Interrupting does not stop it half-way: from then on, processes are killed without grace.
func stopProcesses(ctx context.Context, processes []Process) error {
	for _, p := range slices.Backward(processes) {
		if err := p.stop(ctx); err != nil {
			return fmt.Errorf("%s (pid %d): %w", p.Name, p.PID, err)
		}
	}
	return nil
}

// stop asks the process to end, and kills it when it does not, or when ctx is done.
func (p Process) stop(ctx context.Context) error {
	if !p.Running() {
		return nil
	}
	if ctx.Err() == nil {
		if ended, err := p.endBy(ctx, terminateProcess); ended || err != nil {
			return err
		}
	}
	if ended, err := p.endBy(context.WithoutCancel(ctx), killProcess); ended || err != nil {
		return err
	}
	return errors.New("does not end")
}

// endBy ends the process in one way, and reports whether it has ended within the grace.
func (p Process) endBy(ctx context.Context, by func(int) error) (bool, error) {
	if err := by(p.PID); err != nil {
		return false, err
	}
	grace, cancel := context.WithTimeout(ctx, stopGrace)
	defer cancel()
	return waitUntil(grace, func() bool { return !p.Running() }) == nil, nil
}

// waitUntil polls a condition until it holds or ctx is done.
func waitUntil(ctx context.Context, holds func() bool) error {
	for !holds() {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(20 * time.Millisecond):
		}
	}
	return nil
}
