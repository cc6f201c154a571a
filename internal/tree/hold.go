package tree

import (
	"errors"
	"os"
)

// Held is a folder that no other opgen reads or writes at the same time.
type Held struct {
	// Undone means that an opgen was stopped while it wrote here, and that what it had written was
	// undone.
	Undone bool

	unlock func()
	made   []string // folders that Hold has made, the innermost first
}

// Hold waits until no other opgen holds the folder, and then undoes what one has left that was
// stopped while it wrote there. The folder is made when it is absent.
func Hold(dir string) (*Held, error) {
	for {
		made, err := makeDir(dir)
		if err != nil {
			return nil, err
		}
		held := &Held{made: made}
		if held.unlock, err = lockDir(dir); err != nil {
			return nil, errors.Join(err, removeDirs(made))
		}
		if held.unlock == nil {
			continue // the process that held it before has removed it
		}
		if held.Undone, err = recoverTree(dir); err != nil {
			held.Release()
			return nil, err
		}
		return held, nil
	}
}

// Release lets others have the folder. It removes the folder if Hold has made it and nothing is in
// it.
func (h *Held) Release() {
	for _, dir := range h.made {
		if os.Remove(dir) != nil {
			break // something is in it
		}
	}
	h.unlock()
}
