package cluster

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// inNamespaces makes a command the first process of namespaces of its own, with more inherited files.
func inNamespaces(files []*os.File) func(*exec.Cmd) {
	return func(cmd *exec.Cmd) {
		cmd.SysProcAttr.Cloneflags = unix.CLONE_NEWPID | unix.CLONE_NEWNS | unix.CLONE_NEWNET | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS
		cmd.ExtraFiles = append(cmd.ExtraFiles, files...)
	}
}

// nodeProcesses returns the programs that a supervisor has started, as they are now.
func nodeProcesses(supervisor Process, names []string) []Process {
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return nil
	}
	found := map[string]Process{}
	for _, path := range stats {
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if err != nil || parentOf(path) != supervisor.PID {
			continue
		}
		command, err := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline"))
		if err != nil {
			continue
		}
		first, _, _ := strings.Cut(string(command), "\x00")
		name := filepath.Base(first)
		found[name] = Process{Name: name, PID: pid, Start: startTime(pid)}
	}
	var list []Process
	for _, name := range names {
		if process, ok := found[name]; ok {
			list = append(list, process)
		}
	}
	return list
}

// parentOf returns the parent that a stat file of /proc names, 0 if the process is gone.
func parentOf(path string) int {
	data, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(data[strings.LastIndexByte(string(data), ')')+1:]))
	const parent = 1
	if len(fields) <= parent {
		return 0
	}
	pid, _ := strconv.Atoi(fields[parent]) // the kernel writes a number
	return pid
}
