package project

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/opgen-dev/opgen/internal/spec"
)

// SpecFile is a spec file that has been read.
type SpecFile struct {
	Name string // in positions
	Data []byte
}

// Find returns the folder of the opgen.yaml in the working directory, or in the closest folder
// above it.
func Find() (string, error) {
	start, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		_, err := os.Lstat(filepath.Join(dir, FileName))
		if err == nil {
			return dir, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		if dir == filepath.Dir(dir) {
			return "", InputErrorf("no %s here or in a folder above\n    make a project with: opgen init DIR --module MODULE", FileName)
		}
	}
}

// ReadFolder reads the spec files of a folder of the project in dir, in the order of their names.
func ReadFolder(dir, folder string) ([]SpecFile, error) {
	files, err := filepath.Glob(filepath.Join(dir, folder, "*.yaml"))
	if err != nil {
		return nil, err
	}
	specs := make([]SpecFile, len(files))
	for i, file := range files {
		if specs[i], err = ReadFile(folder+"/"+filepath.Base(file), file); err != nil {
			return nil, err
		}
	}
	return specs, nil
}

// ReadFile reads the spec file at a path under the name that positions give it. It returns an
// InputError if the path names no regular file.
func ReadFile(name, path string) (SpecFile, error) {
	info, err := os.Stat(path)
	if err != nil {
		return SpecFile{}, fileError(name, err)
	}
	if info.IsDir() {
		return SpecFile{}, InputErrorf("%s: is a directory: name a spec file", name)
	}
	if !info.Mode().IsRegular() {
		return SpecFile{}, InputErrorf("%s: is not a regular file", name)
	}
	file, err := os.Open(path)
	if err != nil {
		return SpecFile{}, fileError(name, err)
	}
	defer file.Close()
	return ReadFrom(name, file)
}

// ReadFrom reads a spec file up to one byte more than its size limit, so that the parser can refuse
// a larger one.
func ReadFrom(name string, r io.Reader) (SpecFile, error) {
	data, err := io.ReadAll(io.LimitReader(r, spec.MaxFileSize+1))
	if err != nil {
		return SpecFile{}, fmt.Errorf("%s: %w", name, err)
	}
	return SpecFile{name, data}, nil
}

// misnamedFiles reports files that look like spec files and are not read because of their names:
// renaming a file must not remove its API.
func misnamedFiles(dir string) (spec.Problems, error) {
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
