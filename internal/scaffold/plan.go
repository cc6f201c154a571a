package scaffold

import (
	"github.com/opgen-dev/opgen/internal/spec"
)

// Tool says which opgen a project is generated with.
type Tool struct {
	// Version is a released version of opgen, such as v0.1.0. The module files require it.
	Version string
	// Sum is the checksum of that version's module, such as h1:…=, when it is known; without it the first
	// build of a project has to ask the checksum database.
	Sum string
	// Checkout is the folder of the source of an opgen that is not released; the module files then replace
	// opgen's module with it, and Version is of no account.
	Checkout string
}

// Input is what a project is made from.
type Input struct {
	Project *spec.Project
	APIs    []*spec.API
	Tool    Tool
	Extra   []File   // more files, such as a new spec file
	Drop    []string // hand-written files to remove, such as the spec file of a deleted API
}

// Plan renders the whole project in memory: the Generated files that the APIs yield and the Once files that the
// author starts from. The error is spec.Problems when the input is at fault.
func Plan(in Input) (*FileSet, error) {
	files, err := manifest(in)
	if err != nil {
		return nil, err
	}
	return newFileSet(in.Tool.lockVersion(), append(files, in.Extra...), in.Drop)
}

// lockVersion is the version that opgen.lock names: checkouts have one in common, so that a project does not
// change with every commit to opgen.
func (t Tool) lockVersion() string {
	if t.Checkout != "" {
		return "devel"
	}
	return t.Version
}
