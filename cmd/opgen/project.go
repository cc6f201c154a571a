package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/opgen-dev/opgen/internal/spec"
)

// projectFile marks the root of a project.
const projectFile = "opgen.yaml"

// project is a project as a command finds it on disk.
type project struct {
	dir  string // the folder of opgen.yaml
	spec *spec.Project
	apis []*spec.API // in the order of their file names
}

// loadProject finds the project that the working directory lies in and reads all its spec files.
func loadProject() (*project, error) {
	dir, err := findProject()
	if err != nil {
		return nil, err
	}
	data, err := readSpec(filepath.Join(dir, projectFile))
	if err != nil {
		return nil, err
	}
	p := &project{dir: dir}
	var problems spec.Problems
	p.spec, problems = spec.ParseProject(projectFile, data)
	files, err := filepath.Glob(filepath.Join(dir, "api", "*.yaml"))
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		data, err := readSpec(file)
		if err != nil {
			return nil, err
		}
		api, more := spec.ParseAPI("api/"+filepath.Base(file), data)
		problems = append(problems, more...)
		p.apis = append(p.apis, api)
	}
	if err := problems.Err(); err != nil {
		return nil, err
	}
	return p, spec.Check(p.spec, p.apis).Err()
}

// findProject looks for opgen.yaml here and in every folder above.
func findProject() (string, error) {
	start, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		_, err := os.Lstat(filepath.Join(dir, projectFile))
		if err == nil {
			return dir, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		if dir == filepath.Dir(dir) {
			return "", usagef("no %s here or in a folder above\n    make a project with: opgen init DIR --module MODULE", projectFile)
		}
	}
}

// readSpec reads a spec file; - is standard input only where the caller says so. A file above the size limit
// of spec files is refused before it is read.
func readSpec(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, usageError{err}
	}
	if info.IsDir() {
		return nil, usagef("%s: is a directory: name a spec file", path)
	}
	if !info.Mode().IsRegular() {
		return nil, usagef("%s: is not a regular file", path)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, usageError{err}
	}
	defer file.Close()
	return readLimited(path, file)
}

// readLimited reads one byte more than a spec file may have at the most, so that the parser sees that it is
// too large.
func readLimited(name string, r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, spec.MaxFileSize+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return data, nil
}
