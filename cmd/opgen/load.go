package main

import (
	"fmt"

	"github.com/opgen-dev/opgen/internal/project"
	"github.com/opgen-dev/opgen/internal/scaffold"
)

// loadedProject is a project whose folder other opgens cannot work in until it is released.
type loadedProject struct {
	*project.Project
	held *scaffold.Held
}

// release lets other opgens work in the folder of the project.
func (p loadedProject) release() { p.held.Release() }

// loadProject reads the project that the working directory lies in and locks its folder. The caller
// releases it.
func loadProject(s streams) (loadedProject, error) {
	dir, err := project.Find()
	if err != nil {
		return loadedProject{}, err
	}
	held, err := lockFolder(s, dir)
	if err != nil {
		return loadedProject{}, err
	}
	p, err := project.Load(dir, readVersion().Version)
	if err != nil {
		held.Release()
		return loadedProject{}, err
	}
	return loadedProject{p, held}, nil
}

// lockFolder waits until no other opgen works in a folder, which it makes if it is absent. It
// prints a line if it undoes what an opgen wrote that was stopped there.
func lockFolder(s streams, dir string) (*scaffold.Held, error) {
	done := showProgress(s.err, "waiting for another opgen in this folder")
	held, err := scaffold.Hold(dir)
	done()
	if err != nil {
		return nil, err
	}
	if held.Undone {
		fmt.Fprintln(s.err, "an opgen was stopped here while it wrote: what it had written is undone")
	}
	return held, nil
}
