package tree

import (
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/opgen-dev/opgen/internal/spec"
)

// findObstacle returns an error if something that is not a folder has the path of a folder of a
// file. A folder that does not exist is no obstacle.
func findObstacle(tree fs.FS, file string) error {
	for i, r := range file {
		if r != '/' {
			continue
		}
		folder := file[:i]
		if leadsOut(tree, folder) {
			return obstacleError(folder, "is a symbolic link that leads out of the folder opgen writes to",
				"put a folder in its place, or a relative link to one inside: opgen writes nothing elsewhere")
		}
		info, err := fs.Stat(tree, folder)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		if !info.IsDir() {
			return obstructedBy(folder, "is no folder, and opgen writes files below it")
		}
	}
	return nil
}

// maxLinks is the largest number of symbolic links in a path.
const maxLinks = 40

// leadsOut reports whether symbolic links lead out of the tree. An absolute one always does, since
// the tree may be moved.
func leadsOut(tree fs.FS, folder string) bool {
	at, rest := ".", strings.Split(folder, "/")
	for links := 0; len(rest) > 0; {
		next := path.Join(at, rest[0])
		rest = rest[1:]
		if !fs.ValidPath(next) {
			return true
		}
		target, err := fs.ReadLink(tree, next)
		if err != nil { // it is not a link
			at = next
			continue
		}
		if filepath.IsAbs(target) {
			return true
		}
		if links++; links > maxLinks {
			return false // the links form a cycle, which the next step reports
		}
		rest = append(strings.Split(filepath.ToSlash(target), "/"), rest...)
	}
	return false
}

func obstructedBy(file, what string) error {
	return obstacleError(file, what, "move it out of the way")
}

func obstacleError(file, what, hint string) error {
	return spec.Problems{{Pos: spec.Pos{File: file}, Message: what, Hint: hint}}.Err()
}
