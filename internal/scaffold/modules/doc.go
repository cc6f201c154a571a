// Package modules makes the module files of a project, and finds out which of an existing project
// do not fit any more.
//
//	go.mod, go.sum       what the operator links: opgen's runtime and the Kubernetes types
//	tools.mod, tools.sum what the generator is built from, with independent versions
//
// Both pin the versions that opgen is tested with, so that a project builds from a warm module
// cache without the network. project.mod and project.sum are the result of "go mod tidy" in a
// project that links all of the runtime. A test of package scaffold checks that (go test -update
// rewrites them).
package modules
