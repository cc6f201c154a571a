package tree

import "io/fs"

// Overwrite compares files with a tree in which they may replace any file. It ignores the lock. The
// files have only paths and contents, each path once.
func Overwrite(tree fs.FS, files []File) (*Changes, error) {
	for i := range files {
		files[i].Owner = Once // so that any name is allowed
	}
	set, err := NewFileSet(Lock{}, files, nil)
	if err != nil {
		return nil, err
	}
	changes := &Changes{}
	for _, f := range set.files {
		old, err := ReadRegularFile(tree, f.Path)
		if err != nil {
			return nil, err
		}
		c := Change{Path: f.Path, Action: Update, Owner: Once, Old: old, New: f.Content}
		switch {
		case old == nil:
			c.Action = Create
		case string(old) == string(f.Content):
			c.Action = Unchanged
		}
		changes.list = append(changes.list, c)
	}
	return changes, nil
}
