//go:build unix

package main

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
)

// ownGroup makes the end of its context interrupt a command and what it has started, as Ctrl-C in a
// terminal does. Ctrl-C itself reaches the demo alone, so that it ends everything in order. What a script starts in
// the background ignores Ctrl-C, and so do its children: those are told to terminate.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	end := syscall.SIGINT
	if signal.Ignored(end) {
		end = syscall.SIGTERM
	}
	cmd.Cancel = func() error {
		err := syscall.Kill(-cmd.Process.Pid, end)
		if errors.Is(err, syscall.ESRCH) {
			return os.ErrProcessDone
		}
		return err
	}
}
