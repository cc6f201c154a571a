package project

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/opgen-dev/opgen/internal/scaffold"
)

// ToolFor returns the opgen of a version that generates for the project in dir. If the version is
// not a release, the module cannot be downloaded: it names the checkout of the build, and the
// project's go.mod replaces the module with that.
func ToolFor(dir, version string) scaffold.Tool {
	if isRelease(version) {
		return scaffold.Tool{Version: version}
	}
	return scaffold.Tool{Checkout: relativeIfInside(checkoutDir(), dir)}
}

// isRelease reports whether a version is a release. Builds of a checkout have (devel), a
// pseudo-version, or v0.0.0, which a project requires of a module that it replaces.
func isRelease(version string) bool {
	return semver.IsValid(version) && semver.Prerelease(version) == "" && version != "v0.0.0"
}

// checkoutDir returns the folder of the module that this file was compiled from, and "" if it does
// not exist on this machine.
func checkoutDir() string {
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

// relativeIfInside returns a checkout relative to a project inside of it, so that the files of
// opgen's examples are the same in every checkout.
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
