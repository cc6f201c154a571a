package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/opgen-dev/opgen/internal/scaffold"
)

// tool says which opgen generates for the project in dir. A build that is no release names the checkout that
// it was built from, so that the project's go.mod can replace the module that nobody can download.
func tool(dir string) scaffold.Tool {
	if v := readVersion().Version; released(v) {
		return scaffold.Tool{Version: v}
	}
	return scaffold.Tool{Checkout: relativeIfInside(checkout(), dir)}
}

// released tells the version of a release from that of a build of a checkout: (devel), a pseudo-version, or
// v0.0.0, which a project requires of a module that it replaces.
func released(version string) bool {
	return semver.IsValid(version) && semver.Prerelease(version) == "" && version != "v0.0.0"
}

// checkout is the folder of the module that this file was compiled from; empty when it is not on this machine.
func checkout() string {
	_, file, _, ok := runtime.Caller(0)
	if !ok {
		return ""
	}
	root := filepath.Dir(filepath.Dir(filepath.Dir(file)))
	if _, err := os.Stat(filepath.Join(root, "go.mod")); err != nil {
		return ""
	}
	return root
}

// relativeIfInside keeps the paths of opgen's own examples free of where the checkout lies.
func relativeIfInside(root, dir string) string {
	if root == "" || !strings.HasPrefix(dir, root+string(filepath.Separator)) {
		return root
	}
	rel, err := filepath.Rel(dir, root)
	if err != nil {
		return root
	}
	return filepath.ToSlash(rel)
}
