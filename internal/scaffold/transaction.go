package scaffold

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
)

// transaction makes changes in a root so that they can be undone. New content is staged in a folder of the root,
// hence on the same file system, so that a commit is nothing but renames.
type transaction struct {
	root   *os.Root
	rename renamer
	folder string         // where new content is staged and old content is kept
	undo   []func() error // in the order of what was done
}

func begin(root *os.Root, rename renamer) (*transaction, error) {
	folder, err := os.MkdirTemp(root.Name(), ".opgen-")
	if err != nil {
		return nil, err
	}
	return &transaction{root: root, rename: rename, folder: filepath.Base(folder)}, nil
}

// stage writes the new content of every change and returns where; files that are replaced keep their mode.
func (tx *transaction) stage(pending []Change) ([]string, error) {
	staged := make([]string, len(pending))
	for i, change := range pending {
		if change.New == nil {
			continue
		}
		staged[i] = path.Join(tx.folder, "new"+strconv.Itoa(i))
		if err := tx.root.WriteFile(staged[i], change.New, 0o644); err != nil {
			return nil, err
		}
		if change.Old == nil {
			continue
		}
		info, err := tx.root.Lstat(change.Path)
		if err != nil {
			return nil, err
		}
		if err := tx.root.Chmod(staged[i], info.Mode().Perm()); err != nil {
			return nil, err
		}
	}
	return staged, nil
}

// commit brings one change into the tree.
func (tx *transaction) commit(change Change, staged string) error {
	if change.Old != nil {
		kept := path.Join(tx.folder, "old"+strconv.Itoa(len(tx.undo)))
		if err := tx.move(change.Path, kept); err != nil {
			return err
		}
	}
	if change.New == nil {
		return tx.removeEmpty(path.Dir(change.Path))
	}
	if err := tx.makeParents(path.Dir(change.Path)); err != nil {
		return err
	}
	return tx.move(staged, change.Path)
}

func (tx *transaction) move(from, to string) error {
	if err := tx.rename(tx.root, from, to); err != nil {
		return err
	}
	tx.undo = append(tx.undo, func() error { return tx.root.Rename(to, from) })
	return nil
}

func (tx *transaction) makeParents(dir string) error {
	if dir == "." {
		return nil
	}
	if err := tx.makeParents(path.Dir(dir)); err != nil {
		return err
	}
	err := tx.root.Mkdir(dir, 0o755)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	tx.undo = append(tx.undo, func() error { return tx.root.Remove(dir) })
	return nil
}

// removeEmpty removes a folder that holds nothing any more, and those above it that then hold nothing either.
func (tx *transaction) removeEmpty(dir string) error {
	if dir == "." {
		return nil
	}
	entries, err := fs.ReadDir(tx.root.FS(), dir)
	if err != nil || len(entries) > 0 {
		return err
	}
	info, err := tx.root.Lstat(dir)
	if err != nil {
		return err
	}
	if err := tx.root.Remove(dir); err != nil {
		return err
	}
	tx.undo = append(tx.undo, func() error {
		return errors.Join(tx.root.Mkdir(dir, 0o755), tx.root.Chmod(dir, info.Mode().Perm()))
	})
	return tx.removeEmpty(path.Dir(dir))
}

// rollback undoes what was done, the last first.
func (tx *transaction) rollback() error {
	var errs []error
	for _, undo := range slices.Backward(tx.undo) {
		errs = append(errs, undo())
	}
	return errors.Join(errs...)
}

// end removes the staging folder with what is left in it.
func (tx *transaction) end() error {
	return tx.root.RemoveAll(tx.folder)
}
