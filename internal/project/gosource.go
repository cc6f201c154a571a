package project

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/opgen-dev/opgen/internal/gotypes"
	"github.com/opgen-dev/opgen/internal/scaffold"
	"github.com/opgen-dev/opgen/internal/spec"
)

// ReadGo completes an input from the Go source of the project in dir. It reads packages in the
// workspace of the project. tree is the same folder.
func ReadGo(dir string, tree fs.FS, in scaffold.Input) (scaffold.Source, error) {
	if in.NeedsGoSource() {
		if err := useWorkspace(dir); err != nil {
			return scaffold.Source{}, err
		}
	}
	return scaffold.ReadGo(dir, tree, in)
}

// ReadGoTypes completes APIs from the Go source of the project that the working directory is in, or
// else of its Go module. It returns them unchanged if there is neither.
func ReadGoTypes(apis []*spec.API) ([]*spec.API, error) {
	dir, err := Find()
	if err != nil {
		return apis, readModule(apis)
	}
	file, err := ReadFile(FileName, filepath.Join(dir, FileName))
	if err != nil {
		return nil, err
	}
	project, problems := spec.ParseProject(file.Name, file.Data)
	if err := problems.Err(); err != nil {
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
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}
