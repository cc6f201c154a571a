package project

import (
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/opgen-dev/opgen/internal/scaffold"
	"github.com/opgen-dev/opgen/internal/scaffold/modules"
)

// ToolFor returns the opgen of a version that generates for the project in dir. If its module cannot be downloaded, it
// names the checkout of the build, and the project's go.mod replaces the module with that. A build that has neither,
// such as a snapshot on another machine, makes no project.
func ToolFor(dir, version string) (scaffold.Tool, error) {
	if sum := moduleSum(version); sum != "" || isRelease(version) {
		return scaffold.Tool{Version: version, Sum: sum}, nil
	}
	if checkout := checkoutDir(); checkout != "" {
		return scaffold.Tool{Checkout: relativeIfInside(checkout, dir)}, nil
	}
	return scaffold.Tool{}, InputErrorf("opgen %s is not a release, and the checkout that it was built in is not here: no go.mod could require it\n"+
		"    install a release, or build opgen in a checkout", version)
}

// moduleSum returns the checksum of opgen's module of a version, as go.sum has it. It is empty if this opgen was not
// built from that module but from a checkout.
func moduleSum(version string) string {
	build, ok := debug.ReadBuildInfo()
	if !ok || build.Main.Path != modules.Opgen || build.Main.Version != version {
		return ""
	}
	return build.Main.Sum
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
