//go:build linux || darwin

package cluster

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

// holdShell holds a program that prints its pid and its argument.
func holdShell(t *testing.T) (process *heldProcess, log string) {
	t.Helper()
	log = filepath.Join(t.TempDir(), "log")
	process, err := startHeld("sh", "/bin/sh", []string{"-c", `echo $$ "$1"; (: <&3) 2>/dev/null || echo closed`, "sh", "a  b"}, log)
	if err != nil {
		t.Fatal(err)
	}
	return process, log
}

func expectLog(t *testing.T, log, expected string) {
	t.Helper()
	if output, err := os.ReadFile(log); err != nil || string(output) != expected {
		t.Errorf("the program has printed %q, %v, expected %q", output, err, expected)
	}
}

func TestProcessOffTheRecordDoesNotRun(t *testing.T) {
	process, log := holdShell(t)
	process.abandon() // as when its starter dies
	<-process.exited
	expectLog(t, log, "")
}

func TestReleasedProcessIsTheOneOnRecord(t *testing.T) {
	process, log := holdShell(t)
	if !process.Running() {
		t.Error("the held process does not run")
	}
	if err := process.release(); err != nil {
		t.Fatal(err)
	}
	<-process.exited
	expectLog(t, log, strconv.Itoa(process.PID)+" a  b\nclosed\n")
}

// A process that does not end when it is asked to is killed as soon as the command is interrupted.
func TestInterruptedStopKills(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	process, err := startHeld("sh", "/bin/sh", []string{"-c", `trap "" TERM; echo deaf; while :; do sleep 0.1; done`, "sh"}, log)
	if err != nil {
		t.Fatal(err)
	}
	if err := process.release(); err != nil {
		t.Fatal(err)
	}
	if err := waitUntil(t.Context(), func() bool { output, err := os.ReadFile(log); return err == nil && len(output) > 0 }); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(100*time.Millisecond, cancel)
	begin := time.Now()
	if err := stopProcesses(ctx, []Process{process.Process}); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(begin); took > stopGrace {
		t.Errorf("took %s", took)
	}
}
