//go:build linux || darwin

package cluster

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// startOwnGroup puts a command into its own process group, so that cancelling it also ends the
// processes that it has started.
func startOwnGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

// detachFromTerminal makes a command outlive this process and its terminal.
func detachFromTerminal(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
}

func terminateProcess(pid int) error { return signalProcess(pid, syscall.SIGTERM) }

func killProcess(pid int) error { return signalProcess(pid, syscall.SIGKILL) }

func signalProcess(pid int, signal syscall.Signal) error {
	if err := syscall.Kill(pid, signal); err != nil && !errors.Is(err, syscall.ESRCH) {
		return err
	}
	return nil
}

// ExecKubectl replaces this process by the kubectl at path, with the arguments that follow its name and the given
// environment. It returns only when that is not possible.
func ExecKubectl(path string, args []string, environment []string) error {
	return &os.PathError{Op: "run", Path: path, Err: syscall.Exec(path, append([]string{kubectl}, args...), environment)}
}

// ownerOf returns the user id of a file's owner.
func ownerOf(info os.FileInfo) int {
	if status, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(status.Uid)
	}
	return 0
}
