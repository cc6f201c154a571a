package tree

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strconv"
)

// stagingFolder is where Apply puts new content before it is renamed into place.
const stagingFolder = ".opgen-apply"

// Apply makes the pending changes in dir, which is created when absent. Changes with conflicts are
// refused as a whole with ErrConflict, and so are changes that were computed on other content than
// dir has by now. All new content is staged before the first file changes. When a change fails, or
// the process is killed, those before it stay: the lock tells the next run which files are opgen's.
//
// Nothing outside of dir is touched, whatever symbolic links it holds.
func (c *Changes) Apply(dir string) error {
	if conflicts := c.Conflicts(); len(conflicts) > 0 {
		return conflictError(conflicts)
	}
	if len(c.Pending()) == 0 {
		return nil
	}
	writes, err := c.orderWrites()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := checkUnchanged(root, c.Pending()); err != nil {
		return err
	}
	err = stageContents(root, writes)
	for i := 0; i < len(writes) && err == nil; i++ {
		if err = makeChange(root, i, writes[i]); err != nil {
			err = fmt.Errorf("%s: %w\n    what was written before it stays; run the same command again, and it writes the rest", writes[i].Path, err)
		}
	}
	return errors.Join(err, root.RemoveAll(stagingFolder))
}

// orderWrites returns the changes in the order in which Apply makes them. A run that is stopped
// between two of them leaves a tree in which another run finds no conflict:
//
//  1. The author's new files, but for opgen.yaml. opgen does not touch them again, so the lock need not list them.
//  2. The lock, with the checksums from before and after of the files that change.
//  3. Generated files.
//  4. The lock without the checksums from before.
//  5. A new opgen.yaml: init can run again as long as it is missing.
//  6. The spec file that the author drops: as long as it is there, the command that drops it can run again.
func (c *Changes) orderWrites() ([]Change, error) {
	var created, project, generated, dropped []Change
	before := map[string]LockedFile{}
	for _, change := range c.Pending() {
		switch {
		case change.Path == LockPath:
		case change.Owner == Once && change.Action == Create && change.Path == "opgen.yaml":
			project = append(project, change)
		case change.Owner == Once && change.Action == Create:
			created = append(created, change)
		case change.Owner == Once:
			dropped = append(dropped, change)
		default:
			generated = append(generated, change)
			if change.Old != nil {
				before[change.Path] = LockedFile{Template: change.Template, Checksum: ContentChecksum(change.Old)}
			}
		}
	}
	for _, file := range c.gone {
		generated = append(generated, Change{Path: file})
	}
	first, last, err := c.lockWrites(before)
	return slices.Concat(created, first, generated, last, project, dropped), err
}

// lockWrites returns the writes of the lock before and after those of generated files. before are
// the files that are replaced or removed, as they are now.
func (c *Changes) lockWrites(before map[string]LockedFile) (first, last []Change, err error) {
	for _, lock := range c.list {
		switch {
		case lock.Path != LockPath:
		case len(before) > 0:
			pending := lock
			if pending.New, err = c.lock.withPending(before).marshal(); err != nil {
				return nil, nil, err
			}
			first, last = []Change{pending}, []Change{lock}
		case lock.Action != Unchanged:
			first = []Change{lock}
		}
	}
	return first, last, nil
}

// checkUnchanged checks that the tree still has the content that the changes were computed on.
func checkUnchanged(root *os.Root, pending []Change) error {
	for _, change := range pending {
		now, err := ReadRegularFile(root.FS(), change.Path)
		if err != nil {
			return err
		}
		if (now == nil) != (change.Old == nil) || !bytes.Equal(now, change.Old) {
			return fmt.Errorf("%s: changed while opgen was running", change.Path)
		}
	}
	return nil
}

// stageContents writes all new content into the staging folder, which git does not see. Files that
// are replaced keep their mode.
func stageContents(root *os.Root, writes []Change) error {
	if err := root.RemoveAll(stagingFolder); err != nil {
		return err
	}
	if err := root.Mkdir(stagingFolder, 0o755); err != nil {
		return err
	}
	if err := root.WriteFile(path.Join(stagingFolder, ".gitignore"), []byte("*\n"), 0o644); err != nil {
		return err
	}
	for i, change := range writes {
		if change.New == nil {
			continue
		}
		if err := root.WriteFile(stagedPath(i), change.New, 0o644); err != nil {
			return fmt.Errorf("%s: %w", change.Path, err)
		}
		if change.Old == nil {
			continue
		}
		info, err := root.Lstat(change.Path)
		if err != nil {
			return err
		}
		if err := root.Chmod(stagedPath(i), info.Mode().Perm()); err != nil {
			return err
		}
	}
	return nil
}

// stagedPath returns the path of the new content of the i-th write.
func stagedPath(i int) string { return path.Join(stagingFolder, strconv.Itoa(i)) }

// makeChange renames the new content of the i-th write into place, or removes the file if there is
// no new content.
func makeChange(root *os.Root, i int, change Change) error {
	if change.New != nil {
		if err := root.MkdirAll(path.Dir(change.Path), 0o755); err != nil {
			return err
		}
		return root.Rename(stagedPath(i), change.Path)
	}
	if change.Old != nil {
		if err := root.Remove(change.Path); err != nil {
			return err
		}
	}
	removeEmptyFolders(root, change.Path)
	return nil
}

// removeEmptyFolders removes the folders that a removed file has left empty. Symbolic links and
// folders that cannot be removed stay.
func removeEmptyFolders(root *os.Root, file string) {
	for dir := path.Dir(file); dir != "."; dir = path.Dir(dir) {
		if info, err := root.Lstat(dir); err != nil || !info.IsDir() || root.Remove(dir) != nil {
			return
		}
	}
}
