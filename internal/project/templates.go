package project

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/opgen-dev/opgen/internal/modulecache"
	"github.com/opgen-dev/opgen/internal/scaffold"
	"github.com/opgen-dev/opgen/internal/spec"
	"github.com/opgen-dev/opgen/internal/templates/citemplates"
	"github.com/opgen-dev/opgen/internal/templates/usertemplates"
	"github.com/opgen-dev/opgen/internal/tree"
)

// templatesFolder is the folder in a new project for copies of templates.
const templatesFolder = "templates"

// NewTemplates are the templates for a new project.
type NewTemplates struct {
	Folders  []string               // the key templates of opgen.yaml
	Files    []tree.File            // copies of templates, which belong to the author
	Requires []scaffold.Requirement // for tools.mod
}

// FindTemplates finds the templates that opgen init --template names: a folder on disk, whose
// templates are copied into the project, or MODULE/PATH@VERSION, which the go command downloads.
// ci are systems of continuous integration, whose templates opgen has and copies as well.
func FindTemplates(ctx context.Context, names, ci []string) (NewTemplates, error) {
	var found NewTemplates
	for _, name := range ci {
		folder, exists := citemplates.Folder(name)
		if !exists {
			return found, InputErrorf("--ci %q is not accepted\n    accepted: %s", name, strings.Join(citemplates.Names(), ", "))
		}
		if err := found.copyFolder(name, folder); err != nil {
			return found, InputErrorf("--ci %s: %w", name, err)
		}
	}
	for _, name := range names {
		add := found.addFolder
		if isModule(name) {
			add = func(name string) error { return found.addModule(ctx, name) }
		}
		if err := add(name); err != nil {
			return found, InputErrorf("--template %s: %w", name, err)
		}
	}
	return found, nil
}

// isModule reports whether a name is that of a folder in a module: as in Go, the first element of its
// path has a dot, as in example.com/house.
func isModule(name string) bool {
	path, _, _ := strings.Cut(name, "@")
	return spec.InModule(path) && !filepath.IsAbs(name)
}

// addFolder adds copies of the templates of a folder on disk.
func (n *NewTemplates) addFolder(name string) error {
	if info, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
		return errors.New("there is no such folder; the path of a module begins with a domain, such as example.com/house")
	} else if err == nil && !info.IsDir() {
		return errors.New("is a file: name the folder that it is in")
	}
	return n.copyFolder(name, os.DirFS(name))
}

// copyFolder adds copies of the templates in a tree.
func (n *NewTemplates) copyFolder(name string, files fs.FS) error {
	source, problems, err := usertemplates.Read(name, files)
	switch {
	case err != nil:
		return err
	case len(problems) > 0:
		return errors.New(problems[0].Pos.File + " " + problems[0].Message)
	case !source.MakesFiles():
		return errors.New("has no template that makes a file: their names end in .tmpl and do not begin with _")
	}
	for file, content := range source.Files {
		path := templatesFolder + "/" + file
		if slices.ContainsFunc(n.Files, func(f tree.File) bool { return f.Path == path }) {
			return fmt.Errorf("has %s, which another folder has, too", file)
		}
		n.Files = append(n.Files, tree.File{Path: path, Content: content, Owner: tree.Once})
	}
	n.addToSpec(templatesFolder)
	return nil
}

// addToSpec adds a folder to templates of opgen.yaml.
func (n *NewTemplates) addToSpec(folder string) {
	if !slices.Contains(n.Folders, folder) {
		n.Folders = append(n.Folders, folder)
	}
}

// addModule adds a folder of a module, at the version in the name or else the latest one.
func (n *NewTemplates) addModule(ctx context.Context, name string) error {
	path, version, given := strings.Cut(name, "@")
	if !given {
		version = "latest"
	}
	downloaded, err := downloadModule(ctx, path, version)
	if err != nil {
		return err
	}
	folder := strings.TrimPrefix(strings.TrimPrefix(path, downloaded.Path), "/")
	if info, err := os.Stat(filepath.Join(downloaded.Dir, filepath.FromSlash(folder))); err != nil || !info.IsDir() {
		return fmt.Errorf("%s %s has no folder %s", downloaded.Path, downloaded.Version, folder)
	}
	required := scaffold.Requirement{Path: downloaded.Path, Version: downloaded.Version, Sum: downloaded.Sum, GoModSum: downloaded.GoModSum}
	switch i := slices.IndexFunc(n.Requires, func(r scaffold.Requirement) bool { return r.Path == required.Path }); {
	case i < 0:
		n.Requires = append(n.Requires, required)
	case n.Requires[i] != required:
		return fmt.Errorf("%s cannot have the versions %s and %s at once", required.Path, n.Requires[i].Version, required.Version)
	}
	n.addToSpec(path)
	return nil
}

// downloadedModule is the output of go mod download -json.
type downloadedModule struct {
	Path, Version, Error, Dir, Sum, GoModSum string
}

// downloadModule downloads the module that a path is in. If several prefixes of the path are
// modules, it is the longest one.
func downloadModule(ctx context.Context, path, version string) (downloadedModule, error) {
	args := []string{"mod", "download", "-json"}
	for candidate := path; candidate != ""; candidate = candidate[:max(strings.LastIndex(candidate, "/"), 0)] {
		args = append(args, candidate+"@"+version)
	}
	output, stderr, err := runGo(ctx, "", nil, args...) // fails if one of the candidates is not a module
	if errors.Is(err, errNoGo) {
		return downloadedModule{}, err
	}
	refused := firstLine(stderr)
	for decoder := json.NewDecoder(bytes.NewReader(output)); ; {
		var m downloadedModule
		if decodeErr := decoder.Decode(&m); errors.Is(decodeErr, io.EOF) {
			break
		} else if decodeErr != nil {
			return m, fmt.Errorf("go mod download: %w", decodeErr)
		}
		if m.Error == "" {
			return m, nil // the candidates are in order, the longest first
		}
		if m.Path == modulecache.LikelyModule(path) {
			refused = firstLine(m.Error)
		}
	}
	if refused == "" {
		return downloadedModule{}, fmt.Errorf("go mod download: %w", err)
	}
	return downloadedModule{}, errors.New(refused)
}
