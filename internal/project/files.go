package project

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
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

// ReadFolder reads the spec files of a folder of a tree, in the order of their names.
func ReadFolder(tree fs.FS, folder string) ([]SpecFile, error) {
	entries, err := readEntries(tree, folder)
	if err != nil {
		return nil, err
	}
	var specs []SpecFile
	for _, entry := range entries {
		if path.Ext(entry.Name()) != ".yaml" {
			continue
		}
		file, err := readInTree(tree, folder+"/"+entry.Name())
		if err != nil {
			return nil, err
		}
		specs = append(specs, file)
	}
	return specs, nil
}

// readEntries returns the entries of a folder of a tree, none if there is no such folder.
func readEntries(tree fs.FS, folder string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(tree, folder)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil, nil
	}
	return entries, err
}

// readInTree reads the spec file of a tree under its name there. It returns an InputError if the
// name is that of no regular file.
func readInTree(tree fs.FS, name string) (SpecFile, error) {
	info, err := fs.Stat(tree, name)
	if err := regularError(name, info, err); err != nil {
		return SpecFile{}, err
	}
	if info.Size() > spec.MaxFileSize {
		file, err := tree.Open(name)
		if err != nil {
			return SpecFile{}, fileError(name, err)
		}
		defer file.Close()
		return ReadFrom(name, file)
	}
	data, err := fs.ReadFile(tree, name)
	if err != nil {
		return SpecFile{}, fileError(name, err)
	}
	return SpecFile{name, data}, nil
}

// ReadFile reads the spec file at a path under the name that positions give it. It returns an
// InputError if the path names no regular file.
func ReadFile(name, path string) (SpecFile, error) {
	info, err := os.Stat(path)
	if err := regularError(name, info, err); err != nil {
		return SpecFile{}, err
	}
	file, err := os.Open(path)
	if err != nil {
		return SpecFile{}, fileError(name, err)
	}
	defer file.Close()
	return ReadFrom(name, file)
}

// regularError returns an error unless there is a regular file.
func regularError(name string, info fs.FileInfo, err error) error {
	switch {
	case err != nil:
		return fileError(name, err)
	case info.IsDir():
		return InputErrorf("%s: is a directory: name a spec file", name)
	case !info.Mode().IsRegular():
		return InputErrorf("%s: is not a regular file", name)
	}
	return nil
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
func misnamedFiles(tree fs.FS) (spec.Problems, error) {
	var problems spec.Problems
	for _, folder := range []string{"api", "controllers"} {
		entries, err := readEntries(tree, folder)
		if err != nil {
			return nil, err
		}
		for _, entry := range entries {
			extension := path.Ext(entry.Name())
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
