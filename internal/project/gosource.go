package project

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/opgen-dev/opgen/internal/above"
	"github.com/opgen-dev/opgen/internal/gotypes"
	"github.com/opgen-dev/opgen/internal/scaffold"
	"github.com/opgen-dev/opgen/internal/spec"
	"github.com/opgen-dev/opgen/internal/warnings"
)

// ReadGo completes an input from the Go source of the project in dir. It reads packages in the
// workspace of the project. tree is the same folder.
func ReadGo(dir string, tree fs.FS, in scaffold.Input) (scaffold.Source, error) {
	if in.NeedsGoSource() {
		if err := chooseWorkspace(dir, in); err != nil {
			return scaffold.Source{}, err
		}
	}
	source, err := scaffold.ReadGo(dir, tree, in)
	if err == nil && in.NeedsGoSource() {
		source.Warn(warnings.OfGoTypes(scaffold.ReadAll(source.APIs), in.Project.MaxDescLen))
	}
	return source, err
}

// chooseWorkspace sets the workspace of the project in dir, and none if packages are read with another
// file than go.mod, which go does in no workspace.
func chooseWorkspace(dir string, in scaffold.Input) error {
	if in.ModFile != "" {
		return os.Setenv("GOWORK", "off")
	}
	return useWorkspace(ModuleOf(dir, in.Project.Module).Dir)
}

// ReadGoTypes completes APIs from the Go source of the project that the working directory is in, or
// else of its Go module. It returns them unchanged if there is neither.
func ReadGoTypes(apis []*spec.API) ([]*spec.API, error) {
	dir, err := Find()
	if err != nil {
		return apis, readModule(apis)
	}
	project, err := ReadProjectFile(dir)
	if err != nil {
		return nil, err
	}
	source, err := ReadGo(dir, os.DirFS(dir), scaffold.Input{Project: project, APIs: scaffold.Parsed(apis...)})
	return scaffold.ReadAll(source.APIs), err
}

// readModule reads the Go types that APIs name in the Go module of the working directory, if there
// is one.
func readModule(apis []*spec.API) error {
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
	var uses []gotypes.Use
	for _, api := range apis {
		for _, use := range api.GoTypes() {
			uses = append(uses, gotypes.Use{GoTypeUse: use})
		}
	}
	problems, err := gotypes.Resolve(gotypes.Source{Dir: here}, uses)
	return errors.Join(err, problems.Err())
}

// moduleFolder returns the folder of the module that a folder is in, and "" if there is none.
func moduleFolder(dir string) string {
	for at := range above.Folders(dir) {
		if _, err := os.Stat(filepath.Join(at, "go.mod")); err == nil {
			return at
		}
	}
	return ""
}
