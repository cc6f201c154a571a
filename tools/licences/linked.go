package main

import (
	"debug/buildinfo"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/module"
)

// platforms are those of a release. Some modules are linked on one of them alone.
var platforms = []string{"linux/amd64", "linux/arm64", "darwin/arm64", "windows/amd64"}

// program is what links modules.
type program struct{ name, pattern string }

// linkedModule is a module of which a program links a package.
type linkedModule struct {
	path, version, dir string
	programs           []string
	licences           []string // SPDX identifiers
	files              []string // names of the files with the texts
}

// findLinked returns the modules that programs of the module in dir link, by their paths, with their licences.
func findLinked(dir string, programs []program) ([]linkedModule, error) {
	found := map[string]linkedModule{}
	for _, p := range programs {
		for _, platform := range platforms {
			if err := addLinked(found, dir, p, platform); err != nil {
				return nil, err
			}
		}
	}
	return withLicences(found)
}

// findRecorded returns the modules that the go command has recorded in executables.
func findRecorded(executables []string) ([]linkedModule, error) {
	cache, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		return nil, err
	}
	found := map[string]linkedModule{}
	for _, executable := range executables {
		info, err := buildinfo.ReadFile(executable)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", executable, err)
		}
		for _, m := range info.Deps {
			if m.Replace != nil && !strings.HasPrefix(m.Replace.Path, ".") { // one that is replaced by a folder is a part of itself
				m = m.Replace
			}
			path, pathErr := module.EscapePath(m.Path)
			version, versionErr := module.EscapeVersion(m.Version)
			if err := errors.Join(pathErr, versionErr); err != nil {
				return nil, fmt.Errorf("%s: %w", executable, err)
			}
			found[m.Path] = linkedModule{path: m.Path, version: m.Version, dir: filepath.Join(strings.TrimSpace(string(cache)), path+"@"+version)}
		}
	}
	return withLicences(found)
}

// withLicences reads the licences of modules, and sorts these by path.
func withLicences(found map[string]linkedModule) ([]linkedModule, error) {
	var list []linkedModule
	for _, m := range found {
		var err error
		if m.licences, m.files, err = readLicences(m.dir); err != nil {
			return nil, fmt.Errorf("%s: %w", m.path, err)
		}
		list = append(list, m)
	}
	slices.SortFunc(list, func(a, b linkedModule) int { return strings.Compare(a.path, b.path) })
	return list, nil
}

// addLinked adds what a program links on one platform.
func addLinked(found map[string]linkedModule, dir string, p program, platform string) error {
	system, architecture, _ := strings.Cut(platform, "/")
	list := exec.Command("go", "list", "-mod=readonly", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}} {{.Dir}}{{end}}{{end}}", p.pattern)
	list.Dir = dir
	list.Env = append(os.Environ(), "GOOS="+system, "GOARCH="+architecture, "CGO_ENABLED=0", "GOWORK=off")
	list.Stderr = os.Stderr
	output, err := list.Output()
	if err != nil {
		return fmt.Errorf("go list %s for %s: %w", p.pattern, platform, err)
	}
	for line := range strings.Lines(string(output)) {
		fields := strings.Fields(line)
		if len(fields) < 3 {
			continue // a package of Go itself, or of the module
		}
		m := found[fields[0]]
		m.path, m.version, m.dir = fields[0], fields[1], strings.Join(fields[2:], " ")
		if !slices.Contains(m.programs, p.name) {
			m.programs = append(m.programs, p.name)
		}
		found[m.path] = m
	}
	return nil
}
