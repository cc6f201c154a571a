// Package modules makes the module files of a project, and says when those of an old one no longer
// fit.
//
//	go.mod, go.sum       what the operator links: opgen's runtime and the Kubernetes types
//	tools.mod, tools.sum what the generator is built from, a version graph of its own
//
// Both are pinned to what opgen itself is tested with, so that a project builds from a warm module
// cache without the network. project.mod and project.sum are what "go mod tidy" makes of a project
// that links all of the runtime; a test of package scaffold keeps them so (go test -update rewrites
// them).
package modules
