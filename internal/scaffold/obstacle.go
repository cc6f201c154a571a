package scaffold

import (
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/opgen-dev/opgen/internal/spec"
)

// wayTo reports what stands where the folders of a file belong; folders that are absent are no
// obstacle.
func wayTo(tree fs.FS, file string) error {
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
			return inTheWay(folder, "is no folder, and opgen writes files below it")
		}
	}
	return nil
}

// maxLinks is how many symbolic links a path may lead through.
const maxLinks = 40

// leadsOut reports whether a path leads out of the tree by symbolic links. Absolute ones do
// wherever they lead, since the tree may be moved.
func leadsOut(tree fs.FS, folder string) bool {
	at, rest := ".", strings.Split(folder, "/")
	for links := 0; len(rest) > 0; {
		next := path.Join(at, rest[0])
		rest = rest[1:]
		if !fs.ValidPath(next) {
			return true
		}
		target, err := fs.ReadLink(tree, next)
		if err != nil { // it is no link
			at = next
			continue
		}
		if filepath.IsAbs(target) {
			return true
		}
		if links++; links > maxLinks {
			return false // it leads in circles, which the next step reports
		}
		rest = append(strings.Split(filepath.ToSlash(target), "/"), rest...)
	}
	return false
}

func inTheWay(file, what string) error { return obstacleError(file, what, "move it out of the way") }

func obstacleError(file, what, hint string) error {
	return spec.Problems{{Pos: spec.Pos{File: file}, Message: what, Hint: hint}}.Err()
}
