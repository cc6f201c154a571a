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

// Running reports whether the process still runs. A pid is reused sooner or later, so it also
// compares the start time.
func (p Process) Running() bool { return p.PID > 0 && p.Start != "" && startTime(p.PID) == p.Start }

// heldProcess is a started process that does not run its program yet. It waits for release, and
// ends if this process ends without it. So the pid can be recorded before anything happens that
// would have to be cleaned up.
type heldProcess struct {
	Process
	pipe   *os.File
	exited chan struct{} // closed when the process has ended
}

// holdScript makes a shell wait for a line from descriptor 3 before it becomes the program, with
// the same pid and start time. The shell ends if the descriptor is closed without a line.
const holdScript = `read -r line <&3 && exec "$0" "$@" 3<&-`

// startHeld starts a program that outlives this process, with its output in a log file. The program
// does not notice that it was held.
func startHeld(name, path string, args []string, logFile string, configure ...func(*exec.Cmd)) (*heldProcess, error) {
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
	cmd := exec.Command("/bin/sh", append([]string{"-c", holdScript, path}, args...)...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.ExtraFiles = []*os.File{reader} // becomes descriptor 3
	detachFromTerminal(cmd)
	for _, change := range configure {
		change(cmd)
	}
	if err := cmd.Start(); err != nil {
		writer.Close()
		return nil, err
	}
	exited := make(chan struct{})
	go func() {
		_ = cmd.Wait() // only that it has ended matters
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

// abandon ends the process if it was not released.
func (h *heldProcess) abandon() { h.pipe.Close() }

// stopGrace is how long a process has to end by itself. It is short because instances are
// disposable.
const stopGrace = 3 * time.Second

// stopProcesses stops processes and waits for their end. It begins with the last started, so that
// each can use the ones that it depends on until it ends. An interrupt does not stop it half-way:
// it then kills the remaining processes without grace.
func stopProcesses(ctx context.Context, processes []Process) error {
	for _, p := range slices.Backward(processes) {
		if err := p.stop(ctx); err != nil {
			return fmt.Errorf("%s (pid %d): %w", p.Name, p.PID, err)
		}
	}
	return nil
}

// stop asks the process to end, and kills it if it does not, or if ctx is done.
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

// endBy sends one signal, and reports whether the process has ended within the grace.
func (p Process) endBy(ctx context.Context, by func(int) error) (bool, error) {
	if err := by(p.PID); err != nil {
		return false, err
	}
	grace, cancel := context.WithTimeout(ctx, stopGrace)
	defer cancel()
	return waitUntil(grace, func() bool { return !p.Running() }) == nil, nil
}

// waitUntil polls a condition until it is true or ctx is done.
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
