package project

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/mod/modfile"

	"github.com/opgen-dev/opgen/internal/above"
)

// useWorkspace sets GOWORK so that the Go packages of the project in dir are loaded as go builds
// them.
func useWorkspace(dir string) error {
	workspace, err := Workspace(dir)
	if err != nil {
		return err
	}
	return os.Setenv("GOWORK", workspace)
}

// Workspace returns the value of GOWORK with which go builds the project in dir: the go.work that
// lists the project, or off. With a go.work that does not list the project, the go command would find
// none of its packages.
//
// Users who run opgen with the project's tools.mod have switched workspaces off for that command,
// which does not concern the project's packages.
func Workspace(dir string) (string, error) {
	file := os.Getenv("GOWORK")
	if file == "" || file == "off" {
		file = workFile(dir)
	}
	if file == "" {
		return "off", nil
	}
	listed, err := listsFolder(file, dir)
	if err != nil {
		return "", InputErrorf("%s: %w", ShortPath(file), err)
	}
	if !listed {
		file = "off"
	}
	return file, nil
}

// workFile returns the go.work in a folder or in the closest one above it, and "" if there is none. One in a folder that all
// users of the machine share does not count.
func workFile(dir string) string {
	for at := range above.Folders(dir) {
		file := filepath.Join(at, "go.work")
		if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
			return file
		}
	}
	return ""
}

// listsFolder reports whether a go.work uses the module in a folder.
func listsFolder(file, dir string) (bool, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return false, err
	}
	work, err := modfile.ParseWork(file, data, nil)
	if err != nil {
		return false, err
	}
	project, err := os.Stat(dir)
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(work.Use, func(use *modfile.Use) bool {
		folder := filepath.FromSlash(use.Path)
		if !filepath.IsAbs(folder) {
			folder = filepath.Join(filepath.Dir(file), folder)
		}
		info, err := os.Stat(folder)
		return err == nil && os.SameFile(info, project)
	}), nil
}
