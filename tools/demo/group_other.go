//go:build !unix

package main

import "os/exec"

// ownGroup does nothing here: the demo needs a local control plane, which runs on Linux and macOS
// alone.
func ownGroup(*exec.Cmd) {}
