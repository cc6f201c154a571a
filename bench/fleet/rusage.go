package main

import (
	"os"
	"runtime"
	"syscall"
)

// usageOf returns what a process that has ended had used.
func usageOf(state *os.ProcessState) usage {
	u := usage{cpu: state.UserTime() + state.SystemTime()}
	if r, ok := state.SysUsage().(*syscall.Rusage); ok {
		u.memory = int64(r.Maxrss)
		if runtime.GOOS != "darwin" {
			u.memory *= 1024 // which is in kilobytes elsewhere
		}
	}
	return u
}
