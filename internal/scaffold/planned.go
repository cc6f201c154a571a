package scaffold

import (
	"fmt"
	"io/fs"

	"github.com/opgen-dev/opgen/internal/spec"
	"github.com/opgen-dev/opgen/internal/tree"
)

// Planned is a planned project: all of its files, and what they were made from.
type Planned struct {
	Warnings spec.Problems // about the Go source that the project is generated from
	Learned  Learned

	set         *tree.FileSet
	lock        tree.Lock // without the files
	project     *spec.Project
	apis        map[string]*spec.Summary // by name in the lock
	letGo       []string                 // names in the lock that may change or be removed
	childOwners []childOwner
}

// Learned is what a run found out about the source of a project.
type Learned struct {
	Known   Known    // of its parts, for the next run
	Markers []string // in Go comments
	// Templates is a digest of the author's own templates, see DigestTemplates.
	Templates string
	// Folders are those of the Go packages that it was read from, and of all that these import.
	Folders map[string]bool
}

// Files returns the files in the order of their paths.
func (p *Planned) Files() []tree.File { return p.set.Files() }

// Diff compares the files with a tree and its lock. It writes nothing. It returns an error if
// clusters would keep objects of what the lock lists and the project no longer has.
func (p *Planned) Diff(files fs.FS) (*tree.Changes, error) {
	if err := tree.CheckLockVersion(files, p.lock.Version); err != nil {
		return nil, err
	}
	before, err := ReadLock(files)
	if err != nil {
		return nil, err
	}
	for _, path := range before.ListedPaths() {
		if isOwnTemplate(p.project, path) {
			return nil, tree.LockProblem(fmt.Sprintf("lists %q, which is a template", path))
		}
	}
	if err := p.checkRenames(files, before); err != nil {
		return nil, err
	}
	if err := checkDroppedChildren(before.Children, p.childOwners); err != nil {
		return nil, err
	}
	if err := checkDroppedNamespaces(before.Namespaces, p.lock.Namespaces, p.childOwners); err != nil {
		return nil, err
	}
	return p.set.WithAPIs(p.withStored(before)).Diff(files, before)
}

// withStored returns the entries of the APIs with what the lock before knows of their versions.
func (p *Planned) withStored(before tree.Lock) map[string]tree.LockedAPI {
	apis := map[string]tree.LockedAPI{}
	for name, now := range p.lock.APIs {
		apis[name] = withStored(now, before.APIs[name], p.apis[name])
	}
	return apis
}

// namedAPIs returns APIs by their names in the lock.
func namedAPIs(apis []*spec.Summary) map[string]*spec.Summary {
	named := map[string]*spec.Summary{}
	for _, api := range apis {
		named[api.GroupKind()] = api
	}
	return named
}
