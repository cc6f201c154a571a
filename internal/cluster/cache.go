package cluster

import (
	"fmt"
	"os"
	"path/filepath"
)

// Cache is the directory of built binaries, which all instances of a user share. It may be deleted
// at any time; running instances keep running.
type Cache struct {
	Dir string
	// Released is the directory that the executable of opgen is in. In that of a release, it has the control plane, which
	// is then copied into the cache in place of a build. Empty: each control plane is built.
	Released string
}

// DefaultCache is $OPGEN_CACHE or, when that is not set, the user's cache directory with "opgen" appended.
func DefaultCache() (Cache, error) {
	if dir := os.Getenv("OPGEN_CACHE"); dir != "" {
		return absoluteCache(dir)
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return Cache{}, fmt.Errorf("find a cache directory (set OPGEN_CACHE to choose one): %w", err)
	}
	return absoluteCache(filepath.Join(dir, "opgen"))
}

func absoluteCache(dir string) (Cache, error) {
	dir, err := filepath.Abs(dir)
	return Cache{Dir: dir, Released: executableDir()}, err
}

// buildsDir has one directory for each build, and its lock file next to it.
func (c Cache) buildsDir() string { return filepath.Join(c.Dir, "kubernetes") }

func (c Cache) assetsOf(release Release, key string) Assets {
	return Assets{Dir: filepath.Join(c.buildsDir(), key, "bin"), Version: string(release)}
}

func (c Cache) lockFile(key string) string { return filepath.Join(c.buildsDir(), key+".lock") }

// checkOwner returns an error if root would write into the cache of another user, whose files would then be root's.
func (c Cache) checkOwner() error {
	if os.Geteuid() != 0 {
		return nil
	}
	for dir := c.Dir; ; dir = filepath.Dir(dir) {
		info, err := os.Stat(dir)
		if err == nil {
			if owner := ownerOf(info); owner != 0 {
				return fmt.Errorf("the cache %s belongs to the user %d and has no such build: build as that user with --build-only, or set OPGEN_CACHE to a directory of root's", c.Dir, owner)
			}
			return nil
		}
		if dir == filepath.Dir(dir) {
			return nil
		}
	}
}

// Contains reports whether a directory is one where Build puts its results, even if it was deleted.
func (c Cache) Contains(dir string) bool {
	dir, err := filepath.Abs(dir)
	return err == nil && (isBelow(c.buildsDir(), dir) || isBelow(resolveLinks(c.buildsDir()), resolveLinks(dir)))
}

func isBelow(parent, dir string) bool {
	path, err := filepath.Rel(parent, dir)
	return err == nil && path != "." && filepath.IsLocal(path)
}

// resolveLinks follows the symbolic links of a path, as far as it exists.
func resolveLinks(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}
