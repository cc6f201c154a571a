package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/opgen-dev/opgen/internal/crdgen"
	"github.com/opgen-dev/opgen/internal/spec"
)

// projectFile marks the root of a project.
const projectFile = "opgen.yaml"

// project is a project as a command finds it on disk.
type project struct {
	dir  string // the folder of opgen.yaml
	spec *spec.Project
	apis []*spec.API // in the order of their file names
	// shared are the types that all APIs can use.
	shared []*spec.NamedType
}

// loadProject finds the project that the working directory lies in and reads all its spec files.
func loadProject() (*project, error) {
	dir, err := findProject()
	if err != nil {
		return nil, err
	}
	data, err := readSpec(projectFile, filepath.Join(dir, projectFile))
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
	var specs []specFile
	for _, file := range files {
		name := "api/" + filepath.Base(file)
		data, err := readSpec(name, file)
		if err != nil {
			return nil, err
		}
		specs = append(specs, specFile{name, data})
	}
	specs, shared, more := sharedTypes(specs)
	p.shared, problems = shared, append(problems, more...)
	for _, f := range specs {
		api, more := crdgen.Parse(f.name, f.data, minKubernetes(p.spec), p.shared...)
		problems = append(problems, more...)
		p.apis = append(p.apis, api)
	}
	unread, err := unreadSpecs(dir)
	if err != nil {
		return nil, err
	}
	if err := append(problems, unread...).Err(); err != nil {
		return nil, err
	}
	return p, spec.Check(p.spec, p.apis).Err()
}

// unreadSpecs reports what looks like a spec file and is not read as one.
func unreadSpecs(dir string) (spec.Problems, error) {
	files, err := filepath.Glob(filepath.Join(dir, "api", "*.yml"))
	if err != nil {
		return nil, err
	}
	var problems spec.Problems
	for _, file := range files {
		name := "api/" + filepath.Base(file)
		problems = append(problems, spec.Problem{
			Pos:     spec.Pos{File: name},
			Message: "is not read, since the names of spec files end in .yaml",
			Hint:    "rename it to " + strings.TrimSuffix(name, ".yml") + ".yaml",
		})
	}
	return problems, nil
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

// readSpec reads a spec file, which its mistakes call by name; - is standard input only where the caller says so.
// A file above the size limit of spec files is refused before it is read.
func readSpec(name, path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, unreadable(name, err)
	}
	if info.IsDir() {
		return nil, usagef("%s: is a directory: name a spec file", name)
	}
	if !info.Mode().IsRegular() {
		return nil, usagef("%s: is not a regular file", name)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, unreadable(name, err)
	}
	defer file.Close()
	return readLimited(name, file)
}

// unreadable says of a file why it cannot be read, without the call that found out.
func unreadable(name string, err error) error {
	var call *fs.PathError
	if errors.As(err, &call) {
		err = call.Err
	}
	return usagef("%s: %w", name, err)
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

// minKubernetes is the project's, or the default when opgen.yaml could not be read.
func minKubernetes(p *spec.Project) string {
	if p == nil {
		return spec.DefaultMinKubernetes
	}
	return p.MinKubernetes
}
