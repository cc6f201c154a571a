package project

import (
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/opgen-dev/opgen/internal/cache"
	"github.com/opgen-dev/opgen/internal/modulecache"
)

// goFolder is a folder of Go source outside of the project, with what was read of it.
type goFolder struct {
	Dir     string         `json:"dir"`
	Answers []cache.Answer `json:"answers"`
}

// isSame reports whether the folder has not changed.
func (f goFolder) isSame() bool { return cache.Same(os.DirFS(f.Dir), f.Answers) }

// moduleFiles are the files of a module that affect which packages exist.
var moduleFiles = []string{"go.mod", "go.sum", "vendor/modules.txt"}

// watchGo notes the Go source of loaded packages: in the project, and in folders that replace
// directives and workspaces name, which it returns. The module cache and Go's own source never
// change. It reports false if something may have changed since the run began.
func (r *Record) watchGo(folders map[string]bool) ([]goFolder, bool) {
	if len(folders) == 0 {
		return nil, true
	}
	var outside []goFolder
	unchanged := r.watchFiles(r.tree, r.dir, moduleFiles)
	fixed := []string{goRoot(), modulecache.Folder()}
	for _, folder := range slices.Sorted(maps.Keys(folders)) {
		inside, err := filepath.Rel(r.dir, folder)
		switch {
		case err == nil && filepath.IsLocal(inside):
			unchanged = r.watchPackage(r.tree, r.dir, filepath.ToSlash(inside)) && unchanged
		case slices.ContainsFunc(fixed, func(root string) bool { return isBelow(folder, root) }):
		default:
			module := moduleFolder(folder)
			if module == "" {
				return nil, false
			}
			inModule, _ := filepath.Rel(module, folder) // cannot fail, since module is a folder above
			tree := cache.Watch(os.DirFS(module))
			unchanged = r.watchFiles(tree, module, moduleFiles) && r.watchPackage(tree, module, filepath.ToSlash(inModule)) && unchanged
			answers, all := tree.Seen()
			outside, unchanged = append(outside, goFolder{module, answers}), all && unchanged
		}
	}
	return outside, unchanged
}

// watchPackage notes the Go files in a folder of a tree.
func (r *Record) watchPackage(tree fs.FS, dir, folder string) bool {
	entries, err := fs.ReadDir(tree, folder)
	var files []string
	for _, entry := range entries {
		if name := entry.Name(); path.Ext(name) == ".go" && !strings.HasSuffix(name, "_test.go") {
			files = append(files, path.Join(folder, name))
		}
	}
	return r.watchFiles(tree, dir, files) && err == nil
}

// watchFiles notes files of a tree. It reports false if one has changed since the run began,
// because the content that was loaded may be another one.
func (r *Record) watchFiles(tree fs.FS, dir string, files []string) bool {
	unchanged := true
	for _, file := range files {
		_, _ = fs.ReadFile(tree, file) // a missing file is noted, too
		info, err := os.Stat(filepath.Join(dir, file))
		unchanged = unchanged && (err != nil || info.ModTime().Before(r.began.Add(-clockStep)))
	}
	return unchanged
}

// clockStep is how much the modification times of a file system may be rounded.
const clockStep = 2 * time.Second

// isBelow reports whether a path is a folder or is below it.
func isBelow(path, folder string) bool {
	inside, err := filepath.Rel(folder, path)
	return folder != "" && err == nil && filepath.IsLocal(inside)
}
