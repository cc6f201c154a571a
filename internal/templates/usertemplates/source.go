package usertemplates

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"github.com/opgen-dev/opgen/internal/spec"
)

const (
	extension = ".tmpl"
	// sharedPrefix begins the names of files that only define templates for others, as in Helm
	// charts.
	sharedPrefix = "_"

	maxTemplate  = 1 << 20  // bytes of a template
	maxTemplates = 1000     // in a folder
	maxFolder    = 16 << 20 // bytes of all templates of a folder
)

// Folder is a folder of the author's templates.
type Folder struct {
	// Name is the name of the folder in opgen.yaml. Messages and the lock show it before a
	// template's path.
	Name string
	// Files are the .tmpl files of the folder and the folders below it, by path.
	Files map[string][]byte
}

// DisplayName returns the name of a template in messages and the lock.
func (s Folder) DisplayName(name string) string { return s.Name + "/" + name }

// IsTemplate reports whether a file is a template by its name.
func IsTemplate(name string) bool { return path.Ext(name) == extension }

// MakesFiles reports whether the source has a template that makes files.
func (s Folder) MakesFiles() bool {
	for file := range s.Files {
		if !isShared(file) {
			return true
		}
	}
	return false
}

// Read reads the templates of a folder, under the name that opgen.yaml has for it. Problems are
// about single files. The error satisfies fs.ErrNotExist if the folder does not exist.
func Read(name string, folder fs.FS) (Folder, spec.Problems, error) {
	source := Folder{Name: name, Files: map[string][]byte{}}
	var problems spec.Problems
	size := 0
	refuse := func(file, message, hint string) {
		problems = append(problems, spec.Problem{Pos: spec.Pos{File: source.DisplayName(file)}, Message: message, Hint: hint})
	}
	err := fs.WalkDir(folder, ".", func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == ".git":
			return fs.SkipDir
		case d.IsDir() || !IsTemplate(file):
			return nil
		case !d.Type().IsRegular():
			refuse(file, "is no regular file", "put the template itself in its place")
			return nil
		case len(source.Files) == maxTemplates:
			return fmt.Errorf("%s: has more than %d templates", name, maxTemplates)
		}
		content, err := readTemplate(folder, file)
		if errors.Is(err, errTooLarge) {
			refuse(file, "is too large: the limit is 1 MiB", "split it into several templates")
			return nil
		}
		source.Files[file] = content
		if size += len(content); size > maxFolder {
			return fmt.Errorf("%s: its templates have more than 16 MiB together", name)
		}
		return err
	})
	return source, problems, err
}

// readTemplate reads a file. It returns an error if the file is larger than a template may be.
func readTemplate(folder fs.FS, name string) ([]byte, error) {
	file, err := folder.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, maxTemplate+1))
	if len(content) > maxTemplate {
		return nil, errTooLarge
	}
	return content, err
}

// isShared reports whether a file only defines templates for others.
func isShared(name string) bool { return strings.HasPrefix(path.Base(name), sharedPrefix) }
