package main

import (
	"bytes"
	"context"
	"os"
	"slices"

	"github.com/opgen-dev/opgen/internal/project"
	"github.com/opgen-dev/opgen/internal/tree"
)

// authorChanges is what another opgen makes otherwise of the files that are an author's.
type authorChanges struct {
	replaced *tree.Changes // to files that the author has left as they were made
	open     []tree.Change // from what the old opgen makes to what the new one makes, of files that the author has changed
	unknown  error         // why neither is known
}

// moduleFiles are raised, and never replaced.
var moduleFiles = []string{"go.mod", "go.sum", "tools.mod", "tools.sum", project.FileName}

// compareAuthors compares the author's files as the old opgen makes them with those of the new one.
func (u *upgrade) compareAuthors(ctx context.Context, s streams) error {
	u.authors.replaced = new(tree.Changes)
	if u.from == u.to {
		return nil
	}
	made := map[string][]byte{}
	var paths []string
	for _, f := range u.planned.Files() {
		if f.Owner != tree.Once || slices.Contains(moduleFiles, f.Path) {
			continue
		}
		content, err := f.Rendered()
		if err != nil {
			return err
		}
		made[f.Path], paths = content, append(paths, f.Path)
	}
	defer showProgress(s.err, "building opgen "+u.from+", to see what it makes otherwise")()
	before, err := project.InitialFiles(ctx, u.dir, paths)
	if err != nil {
		u.authors.unknown = err
		return ctx.Err()
	}
	return u.authors.compare(u.dir, before, made)
}

// compare decides what becomes of files that two opgens make otherwise.
func (a *authorChanges) compare(dir string, before, made map[string][]byte) error {
	var replaced []tree.File
	for path, old := range before {
		content, err := tree.ReadFile(dir, path)
		unix := tree.UnixLines(content)
		switch {
		case err != nil, bytes.Equal(old, made[path]), bytes.Equal(unix, made[path]): // the author has removed it, or there is nothing new
		case bytes.Equal(unix, old):
			replaced = append(replaced, tree.File{Path: path, Content: made[path]})
		default:
			a.open = append(a.open, tree.Change{Path: path, Action: tree.Update, Old: old, New: made[path]})
		}
	}
	slices.SortFunc(a.open, func(x, y tree.Change) int { return bytes.Compare([]byte(x.Path), []byte(y.Path)) })
	var err error
	a.replaced, err = tree.Overwrite(os.DirFS(dir), replaced)
	return err
}
