// Package workflows has tests of workflows for continuous integration: those of opgen, and those that opgen init --ci gives
// a project. It is a module of its own, so that opgen does not require their linter.
package workflows
