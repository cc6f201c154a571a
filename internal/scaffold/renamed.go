package scaffold

import (
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/opgen-dev/opgen/internal/gomodel"
	"github.com/opgen-dev/opgen/internal/spec"
	"github.com/opgen-dev/opgen/internal/tree"
)

// lockedAPI returns the entry of an API in the lock.
func lockedAPI(api *spec.Summary, folder string) tree.LockedAPI {
	locked := tree.LockedAPI{File: api.File, Plural: api.Names.Plural, Scope: string(api.Scope), Storage: api.StorageVersion().Name, Served: servedVersions(api)}
	if api.Operator != nil {
		locked.Operator = folder
	}
	return locked
}

// controllerPrefix begins the name of a controller in the lock.
const controllerPrefix = "controllers/"

// IsSame reports whether an API is the same for clusters as an entry of the lock.
func IsSame(locked tree.LockedAPI, api *spec.Summary) bool {
	now := lockedAPI(api, "")
	stored, served := goneVersions(locked, api)
	return len(stored) == 0 && len(served) == 0 && locked.Plural == now.Plural && locked.Scope == now.Scope && locked.Storage == now.Storage
}

// checkRenames returns an error if an API or a controller of the lock is missing, or another one
// has its place. Its objects would stay in clusters without an operator.
func (p *Planned) checkRenames(files fs.FS, before tree.Lock) error {
	r := renames{Planned: p, before: before, tree: files}
	for _, name := range slices.Sorted(maps.Keys(before.APIs)) {
		if !slices.Contains(r.letGo, name) {
			r.compareAPI(name, before.APIs[name])
		}
	}
	for _, name := range slices.Sorted(maps.Keys(before.Controllers)) {
		if _, stays := r.lock.Controllers[name]; !stays && !slices.Contains(r.letGo, controllerPrefix+name) {
			r.reportGoneController(name, before.Controllers[name])
		}
	}
	return r.problems.Err()
}

// renames collects what is renamed or missing.
type renames struct {
	*Planned
	before   tree.Lock
	tree     fs.FS
	problems spec.Problems
	lost     lostNames // nil until lookUpLost
}

// compareAPI compares an API of the lock with the current one.
func (r *renames) compareAPI(name string, old tree.LockedAPI) {
	api, now := r.apis[name], r.lock.APIs[name]
	failWith := func(hint, path, what, behind string, files []string) {
		r.problems = append(r.problems, spec.Problem{Pos: api.PositionOf(path), Path: path, Message: what + ": " + behind + describeBroken(files), Hint: hint})
	}
	fail := func(path, what, behind string, files []string) {
		failWith("take it back, or "+letGoHint(name), path, what, behind, files)
	}
	if api == nil {
		r.reportGoneAPI(name, old)
		return
	}
	if old.Plural != now.Plural {
		fail("names.plural", "was "+old.Plural+", and is now "+now.Plural,
			"the CustomResourceDefinition "+old.CRDName(name)+" and its objects would stay behind in clusters, which accept no second one of the kind beside it", nil)
	}
	if old.Scope != now.Scope {
		fail("scope", "was "+old.Scope+", and is now "+now.Scope,
			"clusters accept no other scope for a CustomResourceDefinition that they have: "+old.CRDName(name)+" would stay behind with its objects until somebody deletes them", nil)
	}
	if old.Storage != now.Storage {
		behind, hint := "objects in clusters would stay stored as "+old.Storage+" until each is written again", "take it back, or "+letGoHint(name)
		if !hasVersion(api, old.Storage) {
			behind = "clusters that have objects stored as " + old.Storage + " accept no CustomResourceDefinition without that version"
			hint = migrationHint(name, old, now.Storage)
		}
		failWith(hint, "versions", "the storage version was "+old.Storage+", and is now "+now.Storage, behind, r.importingFiles(old, api.Group, old.Storage))
	}
	r.compareVersions(name, old, api)
}

// reportGoneAPI reports an API that does not exist any more. The position is the API that its spec
// file describes now, if there is one.
func (r *renames) reportGoneAPI(name string, old tree.LockedAPI) {
	kind := schema.ParseGroupKind(name)
	behind := "in clusters, the CustomResourceDefinition " + old.CRDName(name) + ", its objects and their children would stay behind, with no operator"
	if old.Operator == "" {
		behind = "in clusters, the CustomResourceDefinition " + old.CRDName(name) + " and its objects would stay behind"
	}
	behind += describeBroken(r.brokenFiles())
	problem := spec.Problem{
		Pos:     spec.Pos{File: tree.LockPath},
		Message: fmt.Sprintf("%s of %s is in no spec file any more: %s", kind.Kind, kind.Group, behind),
		Hint:    "restore it, or " + letGoHint(name),
	}
	if old.File != "" {
		problem.Pos.File, problem.Message = old.File, fmt.Sprintf("is gone, and with it %s of %s: %s", kind.Kind, kind.Group, behind)
		problem.Hint = "restore the file, or " + letGoHint(name)
	}
	if api := r.successorOf(old); api != nil {
		problem.Path = "names.kind"
		if api.Names.Kind == kind.Kind {
			problem.Path = "group"
		}
		problem.Pos = api.PositionOf(problem.Path)
		problem.Message = fmt.Sprintf("was %s of %s, and is now %s of %s, to Kubernetes another kind: %s", kind.Kind, kind.Group, api.Names.Kind, api.Group, behind)
		problem.Hint = "take the name back, or " + letGoHint(name)
	}
	r.problems = append(r.problems, problem)
}

// successorOf returns the new API in the spec file of a missing one. For a lock without files, it
// returns the only new API.
func (r *renames) successorOf(old tree.LockedAPI) *spec.Summary {
	var found []*spec.Summary
	for _, name := range slices.Sorted(maps.Keys(r.apis)) {
		api := r.apis[name]
		if _, known := r.before.APIs[name]; !known && (old.File == "" || api.File == old.File) {
			found = append(found, api)
		}
	}
	if len(found) != 1 {
		return nil
	}
	return found[0]
}

// reportGoneController reports a controller that does not exist any more.
func (r *renames) reportGoneController(name string, old tree.LockedController) {
	r.problems = append(r.problems, spec.Problem{
		Pos: spec.Pos{File: old.File},
		Message: "is gone, and with it the controller " + name + ": in clusters, the children that it made and its finalizers on parents would stay behind, with no operator" +
			describeBroken(r.brokenFiles()),
		Hint: "restore the file, or go on with: opgen delete controller " + name,
	})
}

func letGoHint(name string) string {
	kind := schema.ParseGroupKind(name)
	return "let go of the old one: opgen delete api --kind " + kind.Kind + " --group " + kind.Group
}

// shownFiles is the largest number of files that a message names.
const shownFiles = 8

// describeBroken returns which of the author's files will not compile.
func describeBroken(files []string) string {
	more := ""
	if len(files) > shownFiles {
		more = fmt.Sprintf(" and %d more", len(files)-shownFiles)
		files = files[:shownFiles]
	}
	switch {
	case len(files) == 0:
		return ""
	case len(files) == 1:
		return "; " + files[0] + ", which is yours, would no longer compile"
	}
	return "; " + strings.Join(files, ", ") + more + ", which are yours, would no longer compile"
}

// importingFiles returns the author's files of an operator that import the types of a version, which are gone or which
// Sync no longer gets.
func (r *renames) importingFiles(old tree.LockedAPI, group, version string) []string {
	if old.Operator == "" {
		return nil
	}
	former := path.Join(r.project.Module, gomodel.PackageDir(r.project, group, version))
	var found []string
	for _, f := range authorsFiles(r.tree, old.Operator) {
		if _, imports := f.imports()[former]; imports {
			found = append(found, f.path)
		}
	}
	return found
}
