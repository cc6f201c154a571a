package main

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/opgen-dev/opgen/internal/crdgen"
	"github.com/opgen-dev/opgen/internal/gotypes"
	"github.com/opgen-dev/opgen/internal/scaffold"
	"github.com/opgen-dev/opgen/internal/spec"
)

// readGo completes an input by what it takes from the Go source of the project in dir.
func readGo(s streams, dir string, in scaffold.Input) (scaffold.Input, error) {
	if crdgen.ReadsGo(in.APIs) {
		if err := useWorkspace(dir); err != nil {
			return in, err
		}
	}
	defer patience(s.err, "reading Go packages")()
	return scaffold.ReadGo(dir, in)
}

// readGoHere completes APIs by what they take from Go source: that of the project that the working directory lies
// in, or else of its Go module. Where there is neither, they are returned as they are.
func readGoHere(s streams, apis []*spec.API) ([]*spec.API, error) {
	if !crdgen.ReadsGo(apis) {
		return apis, nil
	}
	dir, err := findProject()
	if err != nil {
		return apis, readModule(s, apis)
	}
	data, err := readSpec(projectFile, filepath.Join(dir, projectFile))
	if err != nil {
		return nil, err
	}
	project, problems := spec.ParseProject(projectFile, data)
	if err := problems.Err(); err != nil {
		return nil, err
	}
	in, err := readGo(s, dir, scaffold.Input{Project: project, APIs: apis})
	return in.APIs, err
}

// readModule reads the Go types that APIs name in the module of the working directory, if it lies in one.
func readModule(s streams, apis []*spec.API) error {
	here, err := os.Getwd()
	if err != nil {
		return err
	}
	module := moduleFolder(here)
	if module == "" {
		return nil
	}
	if err := useWorkspace(module); err != nil {
		return err
	}
	defer patience(s.err, "reading Go packages")()
	var uses []gotypes.Use
	for _, api := range apis {
		for _, use := range api.GoTypes() {
			uses = append(uses, gotypes.Use{GoTypeUse: use})
		}
	}
	problems, err := gotypes.Resolve(gotypes.Source{Dir: here}, uses)
	return errors.Join(err, problems.Err())
}

// moduleFolder returns the folder of the module that a folder lies in, empty when there is none.
func moduleFolder(dir string) string {
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}
