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
)

// crdPath is the path of the CustomResourceDefinitions in a project.
const crdPath = "deploy/zz_generated.crd.yaml"

// completeFromCRDs adds the APIs and controllers that the lock of an older opgen does not list. The
// generated CRDs have the names of APIs, and the lock lists controllers together with their
// children.
func (l Lock) completeFromCRDs(tree fs.FS) (Lock, error) {
	l.APIs, l.Controllers = map[string]LockedAPI{}, map[string]LockedController{}
	for name := range l.Children {
		if controller, ok := strings.CutPrefix(name, controllerPrefix); ok {
			l.Controllers[controller] = LockedController{File: name + ".yaml", Operator: "internal/" + strings.ReplaceAll(controller, "-", "")}
		}
	}
	if l.Files[crdPath] == "" {
		return l, nil
	}
	data, err := readRegularFile(tree, crdPath)
	if err != nil {
		return Lock{}, err
	}
	for document := range bytes.SplitSeq(data, []byte("\n---\n")) {
		var crd apiextv1.CustomResourceDefinition
		if yaml.Unmarshal(document, &crd) != nil || crd.Spec.Names.Kind == "" {
			continue // somebody has edited it
		}
		l.APIs[schema.GroupKind{Group: crd.Spec.Group, Kind: crd.Spec.Names.Kind}.String()] = l.ofCRD(&crd)
	}
	return l, nil
}

func (l Lock) ofCRD(crd *apiextv1.CustomResourceDefinition) LockedAPI {
	api := LockedAPI{Plural: crd.Spec.Names.Plural, Scope: string(crd.Spec.Scope)}
	for _, v := range crd.Spec.Versions {
		if v.Storage {
			api.Storage = v.Name
		}
	}
	if folder := "internal/" + templates.PackageName(crd.Spec.Names.Kind); l.Files[folder+"/zz_generated.operator.go"] != "" {
		api.Operator = folder
	}
	return api
}

// WithoutLocked returns the change that removes the name of an API or a controller from the lock of
// a tree. The next generate removes the files that were generated for it.
func WithoutLocked(tree fs.FS, tool Tool, name string) (*Changes, error) {
	if err := checkLockVersion(tree, tool.lockVersion()); err != nil {
		return nil, err
	}
	lock, err := ReadLock(tree)
	if err != nil {
		return nil, err
	}
	delete(lock.APIs, name)
	delete(lock.Controllers, strings.TrimPrefix(name, controllerPrefix))
	delete(lock.Children, name)
	change, err := lockChange(tree, lock)
	return &Changes{list: []Change{change}}, err
}

// AuthorFiles returns the author's files for an API of the lock: its sample, and the files in the
// folder of its operator after nothing is generated there. It leaves out those that one of apis
// uses.
func (l LockedAPI) AuthorFiles(tree fs.FS, name string, p *spec.Project, apis []*spec.API) ([]string, error) {
	group := schema.ParseGroupKind(name)
	gone := kind{project: p, api: &spec.API{
		Group: group.Group, Names: spec.Names{Kind: group.Kind}, Versions: []spec.Version{{Name: l.Storage, Storage: true}},
	}}
	inUse := func(api *spec.API) bool { return kind{project: p, api: api}.samplePath() == gone.samplePath() }
	var left []string
	if _, err := fs.Stat(tree, gone.samplePath()); err == nil && !slices.ContainsFunc(apis, inUse) {
		left = append(left, gone.samplePath())
	}
	if l.Operator == "" {
		return left, nil
	}
	entries, err := fs.ReadDir(tree, l.Operator)
	if errors.Is(err, fs.ErrNotExist) {
		return left, nil
	}
	for _, e := range entries {
		if isGeneratedName(e.Name()) {
			return left, err
		}
	}
	for _, e := range entries {
		left = append(left, l.Operator+"/"+e.Name())
	}
	return left, err
}
