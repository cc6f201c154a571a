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

	"github.com/opgen-dev/opgen/internal/above"
	"github.com/opgen-dev/opgen/internal/spec"
)

// SpecFile is the content of a spec file with its name.
type SpecFile struct {
	Name string // in positions
	Data []byte
}

// Find returns the folder of the project that the working directory is in: the closest folder at or
// above it with an opgen.yaml. Folders above that all users of the machine share do not count.
func Find() (string, error) {
	start, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for dir := range above.Folders(start) {
		_, err := os.Lstat(filepath.Join(dir, FileName))
		if err == nil {
			return dir, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
	}
	return "", InputErrorf("no %s here or in a folder above\n    make a project with: opgen init DIR --module MODULE", FileName)
}

// ReadProjectFile reads opgen.yaml of the project in a folder.
func ReadProjectFile(dir string) (*spec.Project, error) {
	file, err := ReadFile(FileName, filepath.Join(dir, FileName))
	if err != nil {
		return nil, err
	}
	project, problems := spec.ParseProject(file.Name, file.Data)
	return project, problems.Err()
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

// readEntries returns the entries of a folder of a tree, and none if the folder does not exist.
func readEntries(tree fs.FS, folder string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(tree, folder)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil, nil
	}
	return entries, err
}

// readInTree reads a spec file of a tree. It returns an InputError if there is no regular file.
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

// ReadFile reads the spec file at a path. name is its name in positions. It returns an InputError
// if there is no regular file.
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

// regularError returns an error unless info is of a regular file.
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

// ReadFrom reads a spec file up to one byte beyond the size limit, so that the parser can refuse a
// larger one.
func ReadFrom(name string, r io.Reader) (SpecFile, error) {
	data, err := io.ReadAll(io.LimitReader(r, spec.MaxFileSize+1))
	if err != nil {
		return SpecFile{}, fmt.Errorf("%s: %w", name, err)
	}
	return SpecFile{name, data}, nil
}

// misnamedFiles returns problems for files that look like spec files but whose names are not read,
// such as api/echo.yml. Without the error, such a rename would remove the API.
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
