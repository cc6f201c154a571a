package tree

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Apply makes the pending changes in dir, which is created when absent. It does all of them or
// none: when one fails, what was already done is undone and the error returned. Changes with
// conflicts are refused as a whole with ErrConflict, and so are changes that were computed on other
// content than dir has by now. When the process is killed meanwhile, the next Hold of dir undoes
// what was done.
//
// Nothing outside of dir is touched, whatever symbolic links it holds.
func (c *Changes) Apply(dir string) error {
	if conflicts := c.Conflicts(); len(conflicts) > 0 {
		return conflictError(conflicts)
	}
	pending := c.Pending()
	if len(pending) == 0 {
		return nil
	}
	made, err := makeDir(dir)
	if err != nil {
		return err
	}
	if err := applyIn(dir, pending, (*os.Root).Rename); err != nil {
		return errors.Join(err, removeDirs(made))
	}
	return nil
}

// renamer moves a file within a root; tests pass one that fails.
type renamer func(root *os.Root, from, to string) error

func applyIn(dir string, pending []Change, rename renamer) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := checkUnchanged(root, pending); err != nil {
		return err
	}
	tx, err := beginTransaction(root, rename)
	if err != nil {
		return err
	}
	if err := tx.stageChanges(pending); err != nil {
		return errors.Join(err, tx.removeStagingFolder())
	}
	for _, step := range tx.journal.Steps {
		if err := tx.commitStep(step); err != nil {
			return tx.rollBack(fmt.Errorf("%s: %w", step.Path, err))
		}
	}
	return tx.removeStagingFolder()
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

// makeDir creates dir and returns the folders that it had to make, innermost first.
func makeDir(dir string) ([]string, error) {
	var made []string
	for parent := filepath.Clean(dir); ; parent = filepath.Dir(parent) {
		_, err := os.Stat(parent)
		if err == nil {
			return made, os.MkdirAll(dir, 0o755)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		made = append(made, parent)
	}
}

func removeDirs(dirs []string) error {
	var errs []error
	for _, dir := range dirs {
		errs = append(errs, os.Remove(dir))
	}
	return errors.Join(errs...)
}
