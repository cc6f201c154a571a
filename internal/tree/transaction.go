package tree

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
)

// stagingPrefix starts the name of the folder in which an Apply keeps what it needs to be undone.
const stagingPrefix = ".opgen-apply-"

// transaction makes changes in a root so that they can be undone, even after the process was
// killed. New content is staged in a folder of the root, hence on the same file system, so that a
// commit is nothing but renames; a journal in that folder says how to undo them. Without a journal
// the folder counts for nothing.
type transaction struct {
	root    *os.Root
	rename  renamer
	folder  string // where new content is staged and old content is kept
	journal journal
}

// beginTransaction makes the staging folder, which git does not see.
func beginTransaction(root *os.Root, rename renamer) (*transaction, error) {
	folder, err := os.MkdirTemp(root.Name(), stagingPrefix)
	if err != nil {
		return nil, err
	}
	tx := &transaction{root: root, rename: rename, folder: filepath.Base(folder)}
	if err := root.WriteFile(path.Join(tx.folder, ".gitignore"), []byte("*\n"), 0o644); err != nil {
		return nil, errors.Join(err, tx.removeStagingFolder())
	}
	return tx, nil
}

// stageChanges writes the new content of every change, then the journal of all of them. Files that
// are replaced keep their mode.
func (tx *transaction) stageChanges(pending []Change) error {
	for i, change := range pending {
		step := step{Path: change.Path}
		if change.Old != nil {
			step.Old = "old" + strconv.Itoa(i)
		}
		if change.New != nil {
			step.New, step.Sum = "new"+strconv.Itoa(i), exactSum(change.New)
			if err := tx.stageFile(change, path.Join(tx.folder, step.New)); err != nil {
				return err
			}
		}
		tx.journal.Steps = append(tx.journal.Steps, step)
		if err := tx.journal.noteFolders(tx.root, change); err != nil {
			return err
		}
	}
	return tx.journal.writeTo(tx.root, tx.folder)
}

func (tx *transaction) stageFile(change Change, staged string) error {
	if err := tx.root.WriteFile(staged, change.New, 0o644); err != nil || change.Old == nil {
		return err
	}
	info, err := tx.root.Lstat(change.Path)
	if err != nil {
		return err
	}
	return tx.root.Chmod(staged, info.Mode().Perm())
}

// commitStep brings one step into the tree.
func (tx *transaction) commitStep(s step) error {
	if s.Old != "" {
		if err := tx.rename(tx.root, s.Path, path.Join(tx.folder, s.Old)); err != nil {
			return err
		}
	}
	if s.New == "" {
		return tx.removeEmpty(path.Dir(s.Path))
	}
	if err := tx.root.MkdirAll(path.Dir(s.Path), 0o755); err != nil {
		return err
	}
	return tx.rename(tx.root, path.Join(tx.folder, s.New), s.Path)
}

// removeEmpty removes a folder that holds nothing any more, and those above it that then hold
// nothing either.
func (tx *transaction) removeEmpty(dir string) error {
	if dir == "." {
		return nil
	}
	entries, err := fs.ReadDir(tx.root.FS(), dir)
	if err != nil || len(entries) > 0 {
		return err
	}
	if err := tx.root.Remove(dir); err != nil {
		return err
	}
	return tx.removeEmpty(path.Dir(dir))
}

// rollBack undoes what was done because of an error, which it returns. What it cannot undo, the
// next Hold tries again.
func (tx *transaction) rollBack(because error) error {
	if err := tx.journal.undoChanges(tx.root, tx.folder); err != nil {
		return errors.Join(because, err)
	}
	return errors.Join(because, tx.removeStagingFolder())
}

// removeStagingFolder removes the journal, from where on nothing is undone any more, and then the
// staging folder with what is left in it.
func (tx *transaction) removeStagingFolder() error { return removeStaging(tx.root, tx.folder) }
