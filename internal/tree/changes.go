package tree

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
)

// Action is what happens to a file.
type Action string

// What happens to a file.
const (
	Create    Action = "create"    // it is absent and gets written
	Update    Action = "update"    // it is Generated, unedited, and out of date
	Unchanged Action = "unchanged" // it is Generated and up to date
	Keep      Action = "keep"      // it belongs to the author
	Remove    Action = "remove"    // it is Generated and unedited, and the project no longer has it
	Conflict  Action = "conflict"  // it would be written or removed, but was edited by hand or is not opgen's
)

// Change is one file and what happens to it.
type Change struct {
	Path   string
	Action Action
	Owner  Owner
	API    string // the name of the API that the file belongs to, as APIName returns it; empty for files of the whole project
	// Template is the author's template that the file is made from, empty if opgen makes it.
	Template string
	Reason   string // of a Conflict, such as "edited by hand since it was generated"; empty otherwise
	Old      []byte // content in the tree; nil if the file is absent
	New      []byte // content in the plan; nil if the file is to be removed
}

// IsEdited reports whether the change is a Conflict about a file that opgen generated and somebody
// edited. The file of another Conflict was never opgen's.
func (c Change) IsEdited() bool { return strings.HasPrefix(c.Reason, reasonEdited) }

// Diff returns the difference of the contents in the unified format. It is empty if there is none.
func (c Change) Diff() []byte {
	if c.Action == Unchanged || c.Action == Keep {
		return nil
	}
	oldName, newName := "a/"+c.Path, "b/"+c.Path
	if c.Old == nil {
		oldName = "/dev/null"
	}
	if c.New == nil {
		newName = "/dev/null"
	}
	return diff.Diff(oldName, c.Old, newName, c.New)
}

// Changes are what would have to happen to a tree to make it equal to a FileSet.
type Changes struct {
	list []Change
	gone []string // files of the lock that neither the set nor the tree has
	lock Lock     // as it is afterwards
}

// IsEmpty reports whether there is nothing to change.
func (c *Changes) IsEmpty() bool {
	return len(c.withActions(Create, Update, Remove, Conflict)) == 0
}

// List returns every file of the set and every file to be removed, in the order of their paths.
func (c *Changes) List() []Change {
	return slices.Clone(c.list)
}

// Pending returns the changes that Apply would make: Create, Update and Remove.
func (c *Changes) Pending() []Change {
	return c.withActions(Create, Update, Remove)
}

// Conflicts returns the changes because of which Apply does nothing.
func (c *Changes) Conflicts() []Change {
	return c.withActions(Conflict)
}

func (c *Changes) withActions(actions ...Action) []Change {
	var found []Change
	for _, change := range c.list {
		if slices.Contains(actions, change.Action) {
			found = append(found, change)
		}
	}
	return found
}

// Force returns the same changes, but with conflicts turned into updates and removals: edits are
// overwritten.
func (c *Changes) Force() *Changes {
	forced := slices.Clone(c.list)
	for i, change := range forced {
		if change.Action != Conflict {
			continue
		}
		forced[i].Action = Update
		if change.New == nil {
			forced[i].Action = Remove
		}
		forced[i].Reason = ""
	}
	return &Changes{forced, c.gone, c.lock}
}

// ErrConflict is the error of Apply for changes with conflicts.
var ErrConflict = errors.New("conflict")

// conflictError returns an error that names the files in conflict.
func conflictError(conflicts []Change) error {
	lines := make([]string, len(conflicts))
	for i, c := range conflicts {
		lines[i] = fmt.Sprintf("%s: %s", c.Path, c.Reason)
	}
	return fmt.Errorf("%w: nothing was written\n%s", ErrConflict, strings.Join(lines, "\n"))
}

// GoFiles returns the new contents of the Go files that Apply would write, by their paths.
func (c *Changes) GoFiles() map[string][]byte {
	files := map[string][]byte{}
	for _, change := range c.Pending() {
		if path.Ext(change.Path) == ".go" && change.Action != Remove {
			files[change.Path] = change.New
		}
	}
	return files
}
