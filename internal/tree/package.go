package tree

import (
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
)

// packagesFolder is where all packages are.
const packagesFolder = "dist/"

// isPackageFile reports whether a package can have a file.
func isPackageFile(path string) bool {
	return fs.ValidPath(path) && strings.HasPrefix(path, packagesFolder) && !strings.Contains(path, `\`)
}

// DiffPackage compares the files of a package with a tree and its lock, which lists the files of the package of that name
// from before. packaged is what the lock is to list; its files are filled in.
func DiffPackage(tree fs.FS, name string, packaged LockedPackage, files []File) (*Changes, error) {
	lock, err := ReadLock(tree)
	if err != nil {
		return nil, err
	}
	packaged.Files = map[string]string{}
	changes := &Changes{}
	for _, f := range files {
		if !isPackageFile(f.Path) {
			return nil, fmt.Errorf("%s: cannot be a file of a package", f.Path)
		}
		change, err := f.changeIn(tree, lock)
		if err != nil {
			return nil, err
		}
		packaged.Files[f.Path] = ContentChecksum(f.Content)
		changes.list = append(changes.list, change)
	}
	for _, path := range slices.Sorted(maps.Keys(lock.Packages[name].Files)) {
		if packaged.Files[path] != "" {
			continue
		}
		stale, err := lock.removal(tree, path)
		if err != nil {
			return nil, err
		}
		if stale.Old != nil {
			changes.list = append(changes.list, stale)
		}
	}
	lock.Packages = maps.Clone(lock.Packages)
	if lock.Packages == nil {
		lock.Packages = map[string]LockedPackage{}
	}
	lock.Packages[name] = packaged
	// What an opgen generate that was stopped has left is completed by the next one.
	lock.Pending = lock.pendingOf(func(path string) bool {
		return !slices.ContainsFunc(changes.list, func(c Change) bool { return c.Path == path })
	})
	changes.lock = lock
	change, err := lock.changeIn(tree)
	changes.list = append(changes.list, change)
	slices.SortFunc(changes.list, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	return changes, err
}

// removal returns the change that removes a listed file.
func (l Lock) removal(tree fs.FS, path string) (Change, error) {
	old, err := ReadRegularFile(tree, path)
	change := Change{Path: path, Action: Remove, Template: l.templateOf(path), Old: old}
	if old != nil && !slices.Contains(l.checksums(path), ContentChecksum(old)) {
		change.Action, change.Reason = Conflict, reasonEdited+fromTemplate(change.Template)
	}
	return change, err
}
