package project

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/opgen-dev/opgen/internal/scaffold"
	"github.com/opgen-dev/opgen/internal/spec"
	"github.com/opgen-dev/opgen/internal/tree"
)

// Raised is a Go module that requires opgen's runtime, with the versions that this takes.
type Raised struct {
	Module  Module
	ModFile string        // a go.mod elsewhere with these versions, until Remove
	Changes *tree.Changes // to go.mod and go.sum, in the folder of the module
	Notes   spec.Problems // about replacements of the author's that are raised
	temp    string
}

// Remove removes the ModFile.
func (r Raised) Remove() {
	if r.temp != "" {
		_ = os.RemoveAll(r.temp)
	}
}

// RaiseModule finds the versions of a module in which the project in dir can link opgen's runtime. It has
// go mod tidy find them, in a copy of the module files: a version that the runtime does not need higher
// stays, but for the modules of Kubernetes, which move together. files are those that the project does not have yet, by their paths in dir.
func RaiseModule(ctx context.Context, dir string, tool scaffold.Tool, files map[string][]byte) (Raised, error) {
	return raiseModule(ctx, dir, tool, files)
}

// raiseModule does so with more flags for go mod tidy.
func raiseModule(ctx context.Context, dir string, tool scaffold.Tool, files map[string][]byte, flags ...string) (Raised, error) {
	temp, err := os.MkdirTemp("", "opgen")
	if err != nil {
		return Raised{}, err
	}
	raised := Raised{Module: moduleAt(dir), ModFile: filepath.Join(temp, "go.mod"), temp: temp}
	if err := copyModFiles(filepath.Join(raised.Module.Dir, "go.mod"), raised.ModFile, tool); err != nil {
		raised.Remove()
		return Raised{}, err
	}
	overlay, err := raised.overlay(dir, files)
	if err == nil {
		err = raised.raiseKubernetes(ctx)
	}
	if err == nil {
		args := append([]string{"mod", "tidy", "-modfile=" + raised.ModFile, "-overlay=" + overlay}, flags...)
		_, err = findVersions(ctx, raised.Module.Dir, args...)
	}
	if err == nil {
		raised.Changes, err = overwriteModFiles(raised.Module.Dir, raised.ModFile)
	}
	if err == nil {
		raised.Notes, err = raised.raisedPins()
	}
	if err != nil {
		raised.Remove()
	}
	return raised, err
}

// copyModFiles copies a module file with its checksums, and requires opgen in it.
func copyModFiles(from, to string, tool scaffold.Tool) error {
	modFile, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if modFile, err = scaffold.RequireOpgen(modFile, tool); err != nil {
		return InputErrorf("%s: %w", ShortPath(from), err)
	}
	if err := os.WriteFile(to, modFile, 0o600); err != nil {
		return err
	}
	sums, err := os.ReadFile(sumFile(from))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return errors.Join(err, os.WriteFile(sumFile(to), sums, 0o600))
}

// sumFile returns the path of the checksums of a module file.
func sumFile(modFile string) string { return strings.TrimSuffix(modFile, ".mod") + ".sum" }

// overlay writes the file that shows files to the go command that are not in dir yet.
func (r Raised) overlay(dir string, files map[string][]byte) (string, error) {
	replace := map[string]string{}
	for name, content := range files {
		copied := filepath.Join(r.temp, fmt.Sprint(len(replace))+".go")
		if err := os.WriteFile(copied, content, 0o600); err != nil {
			return "", err
		}
		replace[filepath.Join(dir, filepath.FromSlash(name))] = copied
	}
	data, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	overlay := filepath.Join(r.temp, "overlay.json")
	return overlay, os.WriteFile(overlay, data, 0o600)
}

// overwriteModFiles returns the changes that put a module file with its checksums into dir.
func overwriteModFiles(dir, modFile string) (*tree.Changes, error) {
	var files []tree.File
	for _, name := range []string{modFile, sumFile(modFile)} {
		content, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		files = append(files, tree.File{Path: filepath.Base(name), Content: content})
	}
	return tree.Overwrite(os.DirFS(dir), files)
}

// findVersions has a command of Go work on a copy of the module files of the module in dir, and returns what it prints.
func findVersions(ctx context.Context, dir string, args ...string) ([]byte, error) {
	output, stderr, err := runGo(ctx, dir, nil, args...)
	if err != nil && stderr != "" {
		return nil, fmt.Errorf("go %s %s finds no versions with which the project builds:\n%s%s", args[0], args[1], lastLines(stderr, 20), packageGone(stderr))
	}
	return output, err
}

// packageGone returns what to do, as the end of a message, about a package that a newer Kubernetes does not have.
func packageGone(stderr string) string {
	if !strings.Contains(stderr, "but does not contain package k8s.io/") {
		return ""
	}
	return "\n    opgen's runtime needs this version, which does not have the package any more: write its successor in what imports it\n" +
		"    where a dependency imports it, require a newer version of that: go get MODULE@latest"
}
