package project

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/opgen-dev/opgen/internal/scaffold"
	"github.com/opgen-dev/opgen/internal/spec"
	"github.com/opgen-dev/opgen/internal/tree"
)

// KnownAPI is an API in the lock, in a spec file, or in both.
type KnownAPI struct {
	Name   string         // in opgen.lock
	API    *spec.Summary  // nil: it is only in the lock
	Locked tree.LockedAPI // zero: it is not in the lock
}

// KnownAPIs returns the APIs of the lock and of the spec files by name. If the lock and the spec
// file differ about an API, it returns that of the lock.
func (p *Project) KnownAPIs() (map[string]KnownAPI, error) {
	lock, err := scaffold.ReadLock(os.DirFS(p.Dir))
	if err != nil {
		return nil, err
	}
	known := map[string]KnownAPI{}
	for name, locked := range lock.APIs {
		known[name] = KnownAPI{Name: name, Locked: locked}
	}
	for _, api := range p.APIs {
		name := api.GroupKind()
		if k, listed := known[name]; !listed || scaffold.IsSame(k.Locked, api.Summary) {
			known[name] = KnownAPI{Name: name, API: api.Summary, Locked: k.Locked}
		}
	}
	return known, nil
}

// RemoveAPI returns the input without an API and its spec file.
func (p *Project) RemoveAPI(api *spec.Summary) scaffold.Input {
	in := p.Input()
	in.APIs, in.Drop, in.LetGo = apisWithout(p.APIs, api.File), []string{api.File}, []string{api.GroupKind()}
	return in
}

// RemoveController returns the input without a controller and its spec file.
func (p *Project) RemoveController(c *spec.Controller) scaffold.Input {
	in := p.Input()
	in.Controllers, in.Drop, in.LetGo = p.controllersWithout(c.File), []string{c.File}, []string{"controllers/" + c.Name}
	return in
}

// OnceFiles returns the Once files of a part of a source that exist in the project.
func (p *Project) OnceFiles(source scaffold.Source, isPart func(tree.File) bool) ([]string, error) {
	files, err := scaffold.Plan(source)
	if err != nil {
		return nil, err
	}
	var existing []string
	for _, f := range files.Files() {
		if f.Owner != tree.Once || !isPart(f) {
			continue
		}
		if _, err := os.Lstat(filepath.Join(p.Dir, f.Path)); !errors.Is(err, fs.ErrNotExist) {
			existing = append(existing, f.Path)
		}
	}
	return existing, nil
}
