package scaffold

import (
	"bytes"
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/opgen-dev/opgen/internal/spec"
)

const (
	reasonEdited   = "edited by hand since it was generated"
	reasonUnlisted = "not in opgen.lock, and not what opgen would generate"
)

// Diff compares the set with a tree and its lock. It reads and decides; nothing is written.
func (s *FileSet) Diff(tree fs.FS) (*Changes, error) {
	if err := writtenByNewer(tree, s.version); err != nil {
		return nil, err
	}
	before, err := ReadLock(tree)
	if err != nil {
		return nil, err
	}
	if err := dropped(before.Children, s.makers); err != nil {
		return nil, err
	}
	var list []Change
	for _, f := range s.files {
		change, err := f.change(tree, before)
		if err != nil {
			return nil, err
		}
		list = append(list, change)
	}
	after := s.lock()
	for _, stale := range slices.Sorted(maps.Keys(before.Files)) {
		if _, made := after.Files[stale]; made {
			continue
		}
		change, err := staleChange(tree, stale, before.Files[stale])
		if err != nil {
			return nil, err
		}
		list = append(list, change...)
	}
	for _, dropped := range s.dropped {
		old, err := read(tree, dropped)
		if err != nil {
			return nil, err
		}
		if old != nil {
			list = append(list, Change{Path: dropped, Action: Remove, Owner: Once, Old: old})
		}
	}
	lock, err := lockChange(tree, after)
	if err != nil {
		return nil, err
	}
	list = append(list, lock)
	slices.SortFunc(list, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	return &Changes{list: list}, nil
}

// change decides what happens to a file of the set.
func (f File) change(tree fs.FS, lock Lock) (Change, error) {
	c := Change{Path: f.Path, Owner: f.Owner, Kind: f.Kind, New: f.Content}
	if f.Owner == Once {
		action, err := f.once(tree)
		c.Action = action
		if err == nil && action == Create {
			c.New, err = f.Rendered()
		}
		return c, err
	}
	old, err := read(tree, f.Path)
	if err != nil {
		return Change{}, err
	}
	c.Old = old
	listed := lock.Files[f.Path]
	switch {
	case old == nil:
		c.Action = Create
	case bytes.Equal(unixLines(old), unixLines(f.Content)):
		c.Action = Unchanged
	case listed == "":
		c.Action, c.Reason = Conflict, reasonUnlisted
	case listed != checksum(old):
		c.Action, c.Reason = Conflict, reasonEdited
	default:
		c.Action = Update
	}
	return c, nil
}

// once decides whether a Once file is written: only if neither it nor another in its place is there.
func (f File) once(tree fs.FS) (Action, error) {
	if err := wayTo(tree, f.Path); err != nil {
		return "", err
	}
	entries, err := fs.ReadDir(tree, path.Dir(f.Path))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	for _, e := range entries {
		if e.Name() == path.Base(f.Path) {
			return Keep, nil
		}
		if f.Instead != nil && !generatedName(e.Name()) && f.Instead(e.Name()) {
			return Keep, nil
		}
	}
	return Create, nil
}

// staleChange decides what happens to a listed file that nothing yields any more; nothing if it is gone already.
func staleChange(tree fs.FS, file, listed string) ([]Change, error) {
	old, err := read(tree, file)
	if err != nil || old == nil {
		return nil, err
	}
	if listed != checksum(old) {
		return []Change{{Path: file, Action: Conflict, Reason: reasonEdited, Old: old}}, nil
	}
	return []Change{{Path: file, Action: Remove, Old: old}}, nil
}

// lockChange decides what happens to the lock; it is never in conflict, since nobody else has a use for it.
func lockChange(tree fs.FS, after Lock) (Change, error) {
	old, err := read(tree, LockPath)
	if err != nil {
		return Change{}, err
	}
	content, err := after.marshal()
	if err != nil {
		return Change{}, err
	}
	c := Change{Path: LockPath, Old: old, New: content}
	switch {
	case old == nil:
		c.Action = Create
	case bytes.Equal(unixLines(old), content):
		c.Action = Unchanged
	default:
		c.Action = Update
	}
	return c, nil
}

// read returns the content of a regular file, nil when there is none; anything else in its place is an error.
func read(tree fs.FS, file string) ([]byte, error) {
	if err := wayTo(tree, file); err != nil {
		return nil, err
	}
	info, err := fs.Lstat(tree, file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, inTheWay(file, "is no regular file, and opgen writes a file there")
	}
	content, err := fs.ReadFile(tree, file)
	if content == nil {
		content = []byte{}
	}
	return content, err
}

// wayTo reports what stands where the folders of a file belong; folders that are absent are no obstacle.
func wayTo(tree fs.FS, file string) error {
	for i, r := range file {
		if r != '/' {
			continue
		}
		info, err := fs.Stat(tree, file[:i])
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		if !info.IsDir() {
			return inTheWay(file[:i], "is no folder, and opgen writes files below it")
		}
	}
	return nil
}

func inTheWay(file, what string) error {
	return spec.Problems{{Pos: spec.Pos{File: file}, Message: what, Hint: "move it out of the way"}}.Err()
}
