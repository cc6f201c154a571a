package tree

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/opgen-dev/opgen/internal/lazyregexp"
)

// recoverTree undoes every Apply in a folder that was stopped before its end, and removes what such
// ones have left. It reports whether there was anything to undo. The caller holds the folder.
func recoverTree(dir string) (undone bool, err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return false, err
	}
	defer root.Close()
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return false, err
	}
	for _, entry := range entries {
		if !entry.IsDir() || !strings.HasPrefix(entry.Name(), stagingPrefix) {
			continue
		}
		did, err := recoverStaging(root, entry.Name())
		if err != nil {
			return undone, fmt.Errorf("an opgen that was stopped has left %s, which cannot be undone: %w", path.Join(dir, entry.Name()), err)
		}
		undone = undone || did
	}
	return undone, nil
}

func recoverStaging(root *os.Root, folder string) (undone bool, err error) {
	if ours, err := isStaging(root, folder); err != nil || !ours {
		return false, err
	}
	j, err := readJournal(root, folder)
	if err != nil {
		return false, err
	}
	if j != nil {
		if err := j.undoChanges(root, folder); err != nil {
			return false, err
		}
	}
	return j != nil, removeStaging(root, folder)
}

// stagedName is the form of the names that an Apply gives to files of its staging folder.
var stagedName = lazyregexp.New(`^(old\d+|new\d+|journal\.json(\.new)?|\.gitignore)$`)

// isStaging reports whether a folder holds nothing but what an Apply puts there.
func isStaging(root *os.Root, folder string) (bool, error) {
	entries, err := fs.ReadDir(root.FS(), folder)
	if err != nil {
		return false, err
	}
	for _, entry := range entries {
		if !stagedName().MatchString(entry.Name()) {
			return false, nil
		}
	}
	return true, nil
}

// removeStaging removes a staging folder, its journal first: what is left of the folder then counts
// for nothing.
func removeStaging(root *os.Root, folder string) error {
	if err := root.Remove(path.Join(folder, journalFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return root.RemoveAll(folder)
}
