package tree

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
)

// journalFile is where a staging folder has its journal.
const journalFile = "journal.json"

// journal says how to undo an Apply, wherever it was stopped. All paths are relative to the root.
type journal struct {
	Steps []step `json:"steps"` // in the order in which they are made
	// Made are the folders that the Apply makes, the outer ones first.
	Made []string `json:"made,omitempty"`
	// Left are the folders that it may remove since nothing is left in them, the outer ones first.
	Left []leftFolder `json:"left,omitempty"`
}

// step is one file that is made, replaced or removed.
type step struct {
	Path string `json:"path"`
	Old  string `json:"old,omitempty"` // in the staging folder, what is kept of the replaced or removed file
	New  string `json:"new,omitempty"` // in the staging folder, the new content before it gets its place
	Sum  string `json:"sum,omitempty"` // of the new content
}

// leftFolder is a folder with its permissions.
type leftFolder struct {
	Path string      `json:"path"`
	Mode fs.FileMode `json:"mode"`
}

// noteFolders adds the folders that a change makes or may remove.
func (j *journal) noteFolders(root *os.Root, change Change) error {
	for _, dir := range FoldersOf(change.Path) {
		info, err := root.Stat(dir)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			if !slices.Contains(j.Made, dir) {
				j.Made = append(j.Made, dir)
			}
		case err != nil:
			return err
		case change.New == nil && !slices.ContainsFunc(j.Left, func(l leftFolder) bool { return l.Path == dir }):
			j.Left = append(j.Left, leftFolder{dir, info.Mode().Perm()})
		}
	}
	return nil
}

// writeTo writes the journal into the staging folder, whole or not at all.
func (j *journal) writeTo(root *os.Root, folder string) error {
	data, err := json.Marshal(j)
	if err != nil {
		return err
	}
	fresh := path.Join(folder, journalFile+".new")
	if err := root.WriteFile(fresh, data, 0o644); err != nil {
		return err
	}
	return root.Rename(fresh, path.Join(folder, journalFile))
}

// readJournal returns the journal of a staging folder, nil when it has none: then its Apply changed
// nothing, or all.
func readJournal(root *os.Root, folder string) (*journal, error) {
	file := path.Join(folder, journalFile)
	data, err := root.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	j := new(journal)
	if err := json.Unmarshal(data, j); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return j, nil
}

// undoChanges puts back what was there, the last step first. A file that somebody has changed since
// stays as it is. It may be stopped and begun again.
func (j *journal) undoChanges(root *os.Root, folder string) error {
	var errs []error
	for _, s := range slices.Backward(j.Steps) {
		errs = append(errs, j.undoStep(root, folder, s))
	}
	for _, dir := range slices.Backward(j.Made) {
		entries, err := fs.ReadDir(root.FS(), dir)
		if err == nil && len(entries) == 0 {
			err = root.Remove(dir)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

func (j *journal) undoStep(root *os.Root, folder string, s step) error {
	kept := path.Join(folder, s.Old)
	hasOld, err := fileExists(root, kept)
	if err != nil {
		return err
	}
	hasOld = hasOld && s.Old != ""
	if s.Old != "" && !hasOld {
		return nil // it was not touched, or is back already
	}
	if changed, err := s.changedSince(root); changed || err != nil {
		return err
	}
	if hasOld {
		if err := j.makeLeft(root, s.Path); err != nil {
			return err
		}
		return root.Rename(kept, s.Path)
	}
	staged, err := fileExists(root, path.Join(folder, s.New))
	if err != nil || staged {
		return err
	}
	if err := root.Remove(s.Path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// changedSince reports whether a file is there that the step has not brought.
func (s step) changedSince(root *os.Root) (bool, error) {
	info, err := root.Lstat(s.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil || s.New == "" || !info.Mode().IsRegular() {
		return true, err
	}
	content, err := root.ReadFile(s.Path)
	return exactSum(content) != s.Sum, err
}

// makeLeft makes removed folders of a file again.
func (j *journal) makeLeft(root *os.Root, file string) error {
	for _, dir := range FoldersOf(file) {
		if err := root.Mkdir(dir, 0o755); errors.Is(err, fs.ErrExist) {
			continue
		} else if err != nil {
			return err
		}
		for _, left := range j.Left {
			if left.Path != dir {
				continue
			}
			if err := root.Chmod(dir, left.Mode); err != nil {
				return err
			}
		}
	}
	return nil
}

func fileExists(root *os.Root, file string) (bool, error) {
	_, err := root.Lstat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// exactSum tells contents apart that differ in anything, line endings too.
func exactSum(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}
