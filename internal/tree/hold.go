package tree

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Held is a folder that no other opgen reads or writes at the same time.
type Held struct {
	// Interrupted means that an opgen was stopped while it wrote here.
	Interrupted bool

	unlock func()
	made   []string // folders that Hold has made, the innermost first
}

// Hold waits until no other opgen holds the folder. The folder is made when it is absent.
func Hold(dir string) (*Held, error) {
	for {
		made, err := makeDir(dir)
		if err != nil {
			return nil, err
		}
		held := &Held{made: made}
		if held.unlock, err = lockDir(dir); err != nil {
			held.removeMade()
			return nil, err
		}
		if held.unlock == nil {
			continue // the process that held it before has removed it
		}
		held.Interrupted = removeStaging(dir)
		return held, nil
	}
}

// Release lets others have the folder. It removes the folder if Hold has made it and nothing is in
// it.
func (h *Held) Release() {
	h.removeMade()
	h.unlock()
}

func (h *Held) removeMade() {
	for _, dir := range h.made {
		if os.Remove(dir) != nil {
			return // something is in it
		}
	}
}

// removeStaging removes the staging folder of an Apply that was stopped, and reports whether there
// was one. If it cannot be removed, the next Apply returns the error.
func removeStaging(dir string) bool {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return false
	}
	defer root.Close()
	_, err = root.Lstat(stagingFolder)
	_ = root.RemoveAll(stagingFolder)
	return err == nil
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
