package cluster

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// Platform is an operating system and an architecture, by Go's names.
type Platform struct{ OS, Arch string }

func (p Platform) String() string { return p.OS + "/" + p.Arch }

func hostPlatform() Platform { return Platform{runtime.GOOS, runtime.GOARCH} }

// Platforms returns those that a control plane runs on.
func Platforms() []Platform {
	return []Platform{{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}}
}

// FindPlatform returns the platform that a text such as linux/arm64 names. An empty text stands for this machine's.
func FindPlatform(text string) (Platform, error) {
	if text == "" {
		return hostPlatform(), nil
	}
	at := slices.IndexFunc(Platforms(), func(p Platform) bool { return p.String() == text })
	if at < 0 {
		return Platform{}, fmt.Errorf("no control plane can be built for %q, only for %v", text, Platforms())
	}
	return Platforms()[at], nil
}

// releasedDir is the directory beside the executable in which a release has the binary of its newest control plane. Its
// name is binaryName with the key of its sources: an opgen with other sources does not take it.
const releasedDir = "control-plane"

// byRelease stands for the version of Go in the keys of what a release has: its user may have another one, or none.
const byRelease = "a release"

// BuildReleased builds the newest control plane for a platform, and copies it into a directory as a release of opgen
// has it beside its executable. It returns the path of the file.
func BuildReleased(ctx context.Context, cache Cache, platform Platform, dir string, progress ProgressFunc) (string, error) {
	r := controlPlaneRecipe(Version)
	r.platform = platform
	files, err := r.sourceFiles()
	if err != nil {
		return "", err
	}
	cache.Released = "" // otherwise this opgen would take what it has
	assets, err := r.build(ctx, cache, progress)
	if err != nil {
		return "", err
	}
	released := releasedFile(dir, r.buildKey(files, byRelease))
	if err := os.MkdirAll(filepath.Dir(released), 0o755); err != nil {
		return "", err
	}
	return released, copyProgram(assets.pathOf(binaryName), released)
}

func releasedFile(dir, key string) string {
	return filepath.Join(dir, releasedDir, binaryName+"-"+key)
}

// origin is where the programs of a recipe come from.
type origin struct {
	key      string
	released string // the binary that a release has; empty: they are built
	tool     goTool
}

func (r recipe) findOrigin(ctx context.Context, cache Cache, files []sourceFile) (origin, error) {
	if cache.Released != "" {
		key := r.buildKey(files, byRelease)
		path := releasedFile(cache.Released, key)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return origin{key: key, released: path}, nil
		}
	}
	tool, err := findGo(ctx)
	return origin{key: r.buildKey(files, tool.version), tool: tool}, err
}

// executableDir returns the directory of the executable that runs, past links such as those of package managers. It
// returns an empty path if it cannot be found.
func executableDir() string {
	path, err := os.Executable()
	if err != nil {
		return ""
	}
	return filepath.Dir(resolveLinks(path))
}

// copyProgram copies an executable.
func copyProgram(from, to string) error {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer source.Close()
	target, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o755)
	if err != nil {
		return explainCopy(err)
	}
	if _, err := io.Copy(target, source); err != nil {
		target.Close()
		return explainCopy(err)
	}
	return explainCopy(target.Close())
}

// explainCopy says what to do about a full disk.
func explainCopy(err error) error {
	if err != nil && strings.Contains(err.Error(), noSpaceLeft) {
		return fmt.Errorf("%w: free some, or set OPGEN_CACHE to another disk", err)
	}
	return err
}
