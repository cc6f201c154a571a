package scaffold

import (
	"bytes"
	"errors"
	"io/fs"
	"slices"
	"strings"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/opgen-dev/opgen/internal/spec"
	"github.com/opgen-dev/opgen/internal/templates"
	"github.com/opgen-dev/opgen/internal/tree"
)

// CRDPath is the path of the CustomResourceDefinitions in a project.
const CRDPath = "deploy/zz_generated.crd.yaml"

// newLock returns what the lock of the project lists beside its files.
func (p *project) newLock(version string, owners []childOwner) tree.Lock {
	lock := tree.Lock{
		Version: version, APIs: map[string]tree.LockedAPI{}, Controllers: map[string]tree.LockedController{},
		Children: childKinds(owners), Namespaces: p.lockedNamespaces(),
	}
	for _, k := range p.kinds {
		lock.APIs[k.api.GroupKind()] = lockedAPI(k.api.Summary, k.folder)
	}
	for _, c := range p.controllers {
		lock.Controllers[c.spec.Name] = tree.LockedController{File: c.spec.File, Operator: c.folder()}
	}
	return lock
}

// ReadLock returns the lock of a tree, an empty one if there is none. It adds what an older opgen
// did not write into it from the generated files.
func ReadLock(files fs.FS) (tree.Lock, error) {
	lock, err := tree.ReadLock(files)
	switch {
	case err != nil:
		return lock, err
	case lock.APIs == nil:
		return completeFromCRDs(lock, files)
	}
	return completeVersions(lock, files)
}

// completeFromCRDs adds the APIs and controllers that the lock of an older opgen does not list. The
// generated CRDs have the names of APIs, and the lock lists controllers together with their
// children.
func completeFromCRDs(l tree.Lock, files fs.FS) (tree.Lock, error) {
	l.APIs, l.Controllers = map[string]tree.LockedAPI{}, map[string]tree.LockedController{}
	for name := range l.Children {
		if controller, ok := strings.CutPrefix(name, controllerPrefix); ok {
			l.Controllers[controller] = tree.LockedController{File: name + ".yaml", Operator: "internal/" + strings.ReplaceAll(controller, "-", "")}
		}
	}
	crds, err := generatedCRDs(l, files)
	for _, crd := range crds {
		l.APIs[schema.GroupKind{Group: crd.Spec.Group, Kind: crd.Spec.Names.Kind}.String()] = lockedCRD(l, crd)
	}
	return l, err
}

// generatedCRDs returns the CRDs of a tree that opgen has generated, but for those that somebody has edited so that they
// cannot be read.
func generatedCRDs(l tree.Lock, files fs.FS) ([]*apiextv1.CustomResourceDefinition, error) {
	if l.Files[CRDPath] == "" {
		return nil, nil
	}
	data, err := tree.ReadRegularFile(files, CRDPath)
	if err != nil {
		return nil, err
	}
	var crds []*apiextv1.CustomResourceDefinition
	for document := range bytes.SplitSeq(data, []byte("\n---\n")) {
		crd := new(apiextv1.CustomResourceDefinition)
		if yaml.Unmarshal(document, crd) == nil && crd.Spec.Names.Kind != "" {
			crds = append(crds, crd)
		}
	}
	return crds, nil
}

func lockedCRD(l tree.Lock, crd *apiextv1.CustomResourceDefinition) tree.LockedAPI {
	api := withVersions(tree.LockedAPI{Plural: crd.Spec.Names.Plural, Scope: string(crd.Spec.Scope)}, crd)
	if folder := "internal/" + templates.PackageName(crd.Spec.Names.Kind); l.Files[folder+"/zz_generated.operator.go"] != "" {
		api.Operator = folder
	}
	return api
}

// WithoutLocked returns the change that removes the name of an API or a controller from the lock of
// a tree. The next generate removes the files that were generated for it. Of one of apis, the lock keeps
// in which versions objects may be stored.
func WithoutLocked(files fs.FS, tool Tool, name string, apis []*spec.Summary) (*tree.Changes, error) {
	if err := tree.CheckLockVersion(files, tool.lockVersion()); err != nil {
		return nil, err
	}
	lock, err := ReadLock(files)
	if err != nil {
		return nil, err
	}
	if api := namedAPIs(apis)[name]; api != nil {
		before := lock.APIs[name]
		lock.APIs[name] = withStored(lockedAPI(api, before.Operator), before, api)
	} else {
		delete(lock.APIs, name)
	}
	delete(lock.Controllers, strings.TrimPrefix(name, controllerPrefix))
	delete(lock.Children, name)
	return lock.Diff(files)
}

// leftSamples returns the samples of an API of the lock in its storage version and in versions that are gone.
func leftSamples(files fs.FS, locked tree.LockedAPI, name string, p *spec.Project, apis []*spec.Summary) (left []string) {
	versions := append(slices.Concat(locked.Stored, locked.Served), locked.Storage)
	slices.Sort(versions)
	for _, version := range slices.Compact(versions) {
		sample := SamplePath(p, schema.ParseGroupKind(name).WithVersion(version))
		inUse := func(api *spec.Summary) bool {
			return samplePath(p, api) == sample || version != locked.Storage && api.GroupKind() == name && hasVersion(api, version)
		}
		if _, err := fs.Stat(files, sample); err == nil && !slices.ContainsFunc(apis, inUse) {
			left = append(left, sample)
		}
	}
	return left
}

// AuthorFiles returns the author's files for an API of the lock: its sample, and the files in the
// folder of its operator after nothing is generated there. It leaves out those that one of apis
// uses.
func AuthorFiles(files fs.FS, locked tree.LockedAPI, name string, p *spec.Project, apis []*spec.Summary) ([]string, error) {
	left := leftSamples(files, locked, name, p, apis)
	if locked.Operator == "" {
		return left, nil
	}
	entries, err := fs.ReadDir(files, locked.Operator)
	if errors.Is(err, fs.ErrNotExist) {
		return left, nil
	}
	for _, e := range entries {
		if tree.IsGeneratedName(e.Name()) {
			return left, err
		}
	}
	for _, e := range entries {
		left = append(left, locked.Operator+"/"+e.Name())
	}
	return left, err
}
