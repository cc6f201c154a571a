package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/opgen-dev/opgen/internal/crdgen"
	"github.com/opgen-dev/opgen/internal/scaffold"
	"github.com/opgen-dev/opgen/internal/spec"
)

// projectFile marks the root of a project.
const projectFile = "opgen.yaml"

// project is a project as a command finds it on disk.
type project struct {
	dir  string // the folder of opgen.yaml
	spec *spec.Project
	apis []*spec.API // in the order of their file names
	// controllers are those of controllers/, in the order of their file names.
	controllers []*spec.Controller
	// shared are the types that all APIs can use.
	shared []*spec.NamedType
	// held keeps every other opgen out of the folder.
	held *scaffold.Held
}

// release lets other opgens into the folder of the project.
func (p *project) release() { p.held.Release() }

// loadProject finds the project that the working directory lies in and reads all its spec files. It holds the folder,
// which the caller releases.
func loadProject(s streams) (*project, error) {
	dir, err := findProject()
	if err != nil {
		return nil, err
	}
	held, err := hold(s, dir)
	if err != nil {
		return nil, err
	}
	p, err := readProject(dir)
	if err != nil {
		held.Release()
		return nil, err
	}
	p.held = held
	return p, nil
}

// readProject reads all spec files of the project in a folder.
func readProject(dir string) (*project, error) {
	data, err := readSpec(projectFile, filepath.Join(dir, projectFile))
	if err != nil {
		return nil, err
	}
	p := &project{dir: dir}
	var problems spec.Problems
	p.spec, problems = spec.ParseProject(projectFile, data)
	specs, err := specsIn(dir, "api")
	if err != nil {
		return nil, err
	}
	specs, shared, more := sharedTypes(specs)
	p.shared, problems = shared, append(problems, more...)
	for _, f := range specs {
		api, more := crdgen.Parse(f.name, f.data, minKubernetes(p.spec), p.shared...)
		problems = append(problems, more...)
		p.apis = append(p.apis, api)
	}
	specs, err = specsIn(dir, "controllers")
	if err != nil {
		return nil, err
	}
	for _, f := range specs {
		controller, more := spec.ParseController(f.name, f.data)
		problems = append(problems, more...)
		p.controllers = append(p.controllers, controller)
	}
	unread, err := unreadSpecs(dir)
	if err != nil {
		return nil, err
	}
	if err := append(problems, unread...).Err(); err != nil {
		return nil, err
	}
	return p, spec.Check(p.spec, p.apis, p.controllers).Err()
}

// specsIn reads the spec files of a folder of the project, in the order of their names.
func specsIn(dir, folder string) ([]specFile, error) {
	files, err := filepath.Glob(filepath.Join(dir, folder, "*.yaml"))
	if err != nil {
		return nil, err
	}
	specs := make([]specFile, len(files))
	for i, file := range files {
		name := folder + "/" + filepath.Base(file)
		data, err := readSpec(name, file)
		if err != nil {
			return nil, err
		}
		specs[i] = specFile{name, data}
	}
	return specs, nil
}

// unreadSpecs reports what looks like a spec file and is not read as one: an API is not to go since its file was
// renamed.
func unreadSpecs(dir string) (spec.Problems, error) {
	var problems spec.Problems
	for _, folder := range []string{"api", "controllers"} {
		entries, err := os.ReadDir(filepath.Join(dir, folder))
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
			return nil, err
		}
		for _, entry := range entries {
			extension := filepath.Ext(entry.Name())
			if lower := strings.ToLower(extension); entry.IsDir() || extension == ".yaml" || lower != ".yaml" && lower != ".yml" {
				continue
			}
			name := folder + "/" + entry.Name()
			problems = append(problems, spec.Problem{
				Pos:     spec.Pos{File: name},
				Message: "is not read, since the names of spec files end in .yaml",
				Hint:    "rename it to " + strings.TrimSuffix(name, extension) + ".yaml",
			})
		}
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
