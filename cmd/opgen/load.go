package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/opgen-dev/opgen/internal/project"
	"github.com/opgen-dev/opgen/internal/tree"
)

// openedProject is the folder of a project that other opgens cannot work in until it is released.
type openedProject struct {
	held   *tree.Held
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

// load reads the spec files of the project as far as they have changed.
func (p openedProject) load() (loadedProject, error) {
	loaded, err := p.record.Load(readVersion().Version)
	return loadedProject{loaded, p}, err
}

// loadProject opens and reads the project of the working directory. The caller releases
// it.
func (o *cacheOptions) loadProject(s streams) (loadedProject, error) {
	opened, err := o.openProject(s)
	if err != nil {
		return loadedProject{}, err
	}
	loaded, err := opened.load()
	if err != nil {
		opened.release()
	}
	return loaded, err
}

// lockFolder waits until no other opgen works in a folder, which it makes if it is absent. It
// prints a line if an opgen was stopped there while it wrote.
func lockFolder(s streams, dir string) (*tree.Held, error) {
	done := showProgress(s.err, "waiting for another opgen in this folder")
	held, err := tree.Hold(dir)
	done()
	if err != nil {
		return nil, err
	}
	if held.Interrupted {
		fmt.Fprintln(s.err, "an opgen was stopped here while it wrote: the same command completes what it began")
	}
	return held, nil
}
