package project

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/opgen-dev/opgen/internal/scaffold"
	"github.com/opgen-dev/opgen/internal/tree"
)

// Raised is a Go module that requires opgen's runtime, with the versions that this takes.
type Raised struct {
	Module  Module
	ModFile string        // a go.mod elsewhere with these versions, until Remove
	Changes *tree.Changes // to go.mod and go.sum, in the folder of the module
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
// stays. files are those that the project does not have yet, by their paths in dir.
func RaiseModule(ctx context.Context, dir string, tool scaffold.Tool, files map[string][]byte) (Raised, error) {
	temp, err := os.MkdirTemp("", "opgen")
	if err != nil {
		return Raised{}, err
	}
	raised := Raised{Module: moduleAt(dir), ModFile: filepath.Join(temp, "go.mod"), temp: temp}
	if err := raised.prepare(tool); err != nil {
		raised.Remove()
		return Raised{}, err
	}
	overlay, err := raised.overlay(dir, files)
	if err == nil {
		err = tidy(ctx, raised.Module.Dir, raised.ModFile, overlay)
	}
	if err == nil {
		raised.Changes, err = raised.changes()
	}
	if err != nil {
		raised.Remove()
	}
	return raised, err
}

// prepare copies the module files and adds opgen.
func (r Raised) prepare(tool scaffold.Tool) error {
	goMod, err := os.ReadFile(filepath.Join(r.Module.Dir, "go.mod"))
	if err != nil {
		return err
	}
	if goMod, err = scaffold.RequireOpgen(goMod, tool); err != nil {
		return InputErrorf("%s: %w", ShortPath(filepath.Join(r.Module.Dir, "go.mod")), err)
	}
	if err := os.WriteFile(r.ModFile, goMod, 0o600); err != nil {
		return err
	}
	sums, err := os.ReadFile(filepath.Join(r.Module.Dir, "go.sum"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return errors.Join(err, os.WriteFile(filepath.Join(r.temp, "go.sum"), sums, 0o600))
}

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

// changes compares the module files with those of the module.
func (r Raised) changes() (*tree.Changes, error) {
	var files []tree.File
	for _, name := range []string{"go.mod", "go.sum"} {
		content, err := os.ReadFile(filepath.Join(r.temp, name))
		if err != nil {
			return nil, err
		}
		files = append(files, tree.File{Path: name, Content: content})
	}
	return tree.Overwrite(os.DirFS(r.Module.Dir), files)
}

// tidy runs go mod tidy on a copy of the module files in dir.
func tidy(ctx context.Context, dir, modFile, overlay string) error {
	cmd := exec.CommandContext(ctx, "go", "mod", "tidy", "-modfile="+modFile, "-overlay="+overlay)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off", "GO111MODULE=on")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	err := cmd.Run()
	switch {
	case err == nil:
		return nil
	case errors.Is(err, exec.ErrNotFound):
		return errors.New("no Go toolchain found: put go on the PATH")
	}
	return fmt.Errorf("go mod tidy finds no versions with which the project builds:\n%s", lastLines(stderr.String(), 20))
}

// lastLines returns the last lines of a text. What go downloads comes before what it says about it.
func lastLines(text string, most int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-most):], "\n")
}
