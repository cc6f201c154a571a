package project

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"golang.org/x/mod/semver"

	"github.com/opgen-dev/opgen/internal/scaffold"
	"github.com/opgen-dev/opgen/internal/scaffold/modules"
	"github.com/opgen-dev/opgen/internal/tree"
)

// FindRelease returns the version of opgen that a query of the go command stands for, such as latest or v0.2.
func FindRelease(ctx context.Context, query string) (string, error) {
	output, stderr, err := runGo(ctx, "", nil, "list", "-m", "-json", modules.Opgen+"@"+query)
	if err != nil && stderr != "" {
		err = InputErrorf("opgen %s cannot be found: %s", query, firstLine(stderr))
	}
	if err != nil {
		return "", err
	}
	var found struct{ Version string }
	if err := json.Unmarshal(output, &found); err != nil {
		return "", fmt.Errorf("go list: %w", err)
	}
	return found.Version, nil
}

// BuildRelease builds the opgen of a version into a folder, and returns the path of the program.
func BuildRelease(ctx context.Context, version, bin string) (string, error) {
	_, stderr, err := runGo(ctx, "", []string{"GOBIN=" + bin, "GOOS=", "GOARCH="}, "install", modules.Opgen+"/cmd/opgen@"+version)
	return programIn(bin), explainBuild(version, stderr, err)
}

// buildOwn builds the opgen that the project in a folder generates with.
func buildOwn(ctx context.Context, dir, bin string) (string, error) {
	path := programIn(bin)
	_, stderr, err := runGo(ctx, dir, []string{"GOOS=", "GOARCH="},
		"build", "-mod=readonly", "-modfile=tools.mod", "-buildvcs=false", "-o", path, modules.Opgen+"/cmd/opgen")
	return path, explainBuild("of the project", stderr, err)
}

// programIn returns the path of opgen in a folder, as go install names it.
func programIn(dir string) string {
	if runtime.GOOS == "windows" {
		return filepath.Join(dir, "opgen.exe")
	}
	return filepath.Join(dir, "opgen")
}

func explainBuild(which, stderr string, err error) error {
	if err != nil && stderr != "" {
		return fmt.Errorf("build opgen %s:\n%s", which, lastLines(stderr, 20))
	}
	return err
}

// RequiredOpgen returns the version of opgen that the project in a folder generates with. It is a path if that is a
// checkout.
func RequiredOpgen(dir string) (string, error) {
	toolsMod, err := os.ReadFile(filepath.Join(dir, "tools.mod"))
	if err != nil {
		return "", fileError("tools.mod", err)
	}
	version, err := modules.VersionOf("tools.mod", toolsMod)
	if err != nil {
		return "", InputError{err}
	}
	return version, nil
}

// CheckUpgrade returns an error if a version is older than the one that a project generates with.
func CheckUpgrade(from, to string) error {
	if semver.IsValid(from) && semver.Compare(from, to) > 0 {
		return InputErrorf("the project generates with opgen %s, which is newer than %s: what %s generates is not known there\n"+
			"    to go back, restore go.mod, tools.mod and the generated files from version control", from, to, from)
	}
	return nil
}

// UpgradeModule finds the versions of a module in which the project in dir can link the runtime of another opgen, as
// RaiseModule does. It leaves packages that are not found to the compiler.
func UpgradeModule(ctx context.Context, dir string, tool scaffold.Tool, files map[string][]byte) (Raised, error) {
	return raiseModule(ctx, dir, tool, files, "-e")
}

// UpgradeTools returns the changes to tools.mod and tools.sum with which the project in dir generates with another opgen.
// What they require of other tools stays.
func UpgradeTools(ctx context.Context, dir string, tool scaffold.Tool) (*tree.Changes, error) {
	temp, err := os.MkdirTemp("", "opgen")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(temp)
	modFile := filepath.Join(temp, "tools.mod")
	if err := copyModFiles(filepath.Join(dir, "tools.mod"), modFile, tool); err != nil {
		return nil, err
	}
	if _, err := findVersions(ctx, dir, "get", "-modfile="+modFile, "-tool", modules.Opgen+"/cmd/opgen@"+tool.Version); err != nil {
		return nil, err
	}
	return overwriteModFiles(dir, modFile)
}
