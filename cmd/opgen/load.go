package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/opgen-dev/opgen/internal/project"
	"github.com/opgen-dev/opgen/internal/scaffold"
)

// openedProject is the folder of a project that other opgens cannot work in until it is released.
type openedProject struct {
	held   *scaffold.Held
	record *project.Record
}

// loadedProject is a project whose folder other opgens cannot work in until it is released.
type loadedProject struct {
	*project.Project
	openedProject
}

// release lets other opgens work in the folder of the project.
func (p openedProject) release() { p.held.Release() }

// cacheOptions is the flag of commands that can use what the last run found out.
type cacheOptions struct{ noCache bool }

func (o *cacheOptions) addFlag(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.noCache, "no-cache", false, "do everything again, and leave the record of the last run alone")
}

// openProject locks the folder of the project of the working directory. The caller
// releases it.
func (o *cacheOptions) openProject(s streams) (openedProject, error) {
	dir, err := project.Find()
	if err != nil {
		return openedProject{}, err
	}
	held, err := lockFolder(s, dir)
	if err != nil {
		return openedProject{}, err
	}
	if o.noCache {
		return openedProject{held, project.NoRecord(dir)}, nil
	}
	return openedProject{held, project.OpenRecord(dir)}, nil
}

// loadOutlines reads the spec files of the project as far as they have changed.
func (p openedProject) loadOutlines() (loadedProject, error) {
	loaded, err := p.record.LoadOutlines(readVersion().Version)
	return loadedProject{loaded, p}, err
}

// loadProject opens and reads the project of the working directory. The caller releases
// it.
func (o *cacheOptions) loadProject(s streams) (loadedProject, error) {
	opened, err := o.openProject(s)
	if err != nil {
		return loadedProject{}, err
	}
	loaded, err := opened.record.Load(readVersion().Version)
	if err != nil {
		opened.release()
	}
	return loadedProject{loaded, opened}, err
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
