package clientgen

import (
	"fmt"
	"os"
	"path"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/gengo/v2/generator"
	"k8s.io/gengo/v2/namer"
	"k8s.io/gengo/v2/parser"
	"k8s.io/gengo/v2/types"
	"k8s.io/klog/v2"

	"github.com/opgen-dev/opgen/internal/gomodel"
)

// Modules are the Go modules that the clients import in addition to those of the API packages.
var Modules = []string{"k8s.io/client-go", "sigs.k8s.io/structured-merge-diff/v6"}

// File is a file of client/.
type File struct {
	Path    string // slash-separated, from the project's root
	Content []byte
}

// Files returns the typed clients of a project's packages, sorted by path, and none if there are no
// packages. module is the Go module path of the project, and crds are the CRDs of its kinds.
//
// The packages are those that gomodel.Packages returns for a project with clients, because the
// markers of their kinds say which clients there are. authored are the packages whose types an
// author owns, parsed and type-checked, by import path.
func Files(module string, all []gomodel.Package, crds []*apiextv1.CustomResourceDefinition, authored map[string]*packages.Package) ([]File, error) {
	if len(all) == 0 {
		return nil, nil
	}
	scratch, err := os.MkdirTemp("", "opgen-client-") // the generators create a folder for each package, even if its files go elsewhere
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(scratch)
	p := &plan{root: module + "/client", dir: scratch, groups: groupsOf(all), crds: crds, authored: authored}
	return p.generateFiles()
}

// plan is the input that all four generators share.
type plan struct {
	root     string // import path of client/
	dir      string // the generators' target directory for client/, to which nothing is written
	groups   []group
	crds     []*apiextv1.CustomResourceDefinition
	authored map[string]*packages.Package
	parser   func() (*parser.Parser, error) // for the universe; nil: newUniverse makes it from the groups
	out      *collector
}

// generateFiles runs all generators.
func (p *plan) generateFiles() ([]File, error) {
	p.out = newCollector(p.dir, p.groups)
	for _, run := range []func() error{p.generateApplyConfigurations, p.generateClientset, p.generateListers, p.generateInformers} {
		if err := recoverError(run); err != nil {
			return nil, fmt.Errorf("typed clients: %w", err)
		}
	}
	slices.SortFunc(p.out.files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return p.out.files, declaredTwice(p.out.files, p.groups).Err()
}

// recoverError runs the generators and returns their errors. They report errors in their input by a
// panic, or by ending the process.
func recoverError(run func() error) (err error) {
	exit := klog.OsExit
	klog.OsExit = func(int) { panic("see the log above") }
	defer func() {
		klog.OsExit = exit
		if reason := recover(); reason != nil {
			err = fmt.Errorf("code-generator: %v", reason)
		}
	}()
	return run()
}

// executeTargets runs one generator. Each run gets a new universe, because generators change it.
func (p *plan) executeTargets(names namer.NameSystems, order string, targets func(*generator.Context) []generator.Target) error {
	names["private"] = privateNamer{names["private"]}
	c, err := p.newContext(names, order)
	if err != nil {
		return err
	}
	c.FileTypes[generator.GoFileType] = p.out
	kinds := kindNames(p.groups)
	ofVersion, all := groupTypes(c.Order, p.groups)
	for _, target := range targets(c) {
		limited := *c
		limited.Order = all
		if order, ok := ofVersion[lastTwo(target.Path())]; ok {
			limited.Order = order
		}
		if err := limited.ExecuteTarget(kindAware{target, kinds}); err != nil {
			return err
		}
	}
	return nil
}

// groupTypes returns the types that each generated package needs, since a generator visits every
// type that it gets. A package of one version needs the types of that version; ofVersion has them
// by the last two elements of the package's import path. All other packages need the kinds of all
// versions.
func groupTypes(order []*types.Type, groups []group) (ofVersion map[string][]*types.Type, kinds []*types.Type) {
	folders, isKind := map[string]string{}, map[types.Name]bool{}
	for _, g := range groups {
		for _, v := range g.versions {
			folders[v.path] = g.folder + "/" + v.Version
			for _, k := range v.Kinds {
				isKind[types.Name{Package: v.path, Name: k.Name}] = true
			}
		}
	}
	ofVersion = map[string][]*types.Type{}
	for _, t := range order {
		if folder, ok := folders[t.Name.Package]; ok {
			ofVersion[folder] = append(ofVersion[folder], t)
		}
		if isKind[t.Name] {
			kinds = append(kinds, t)
		}
	}
	return ofVersion, kinds
}

func lastTwo(importPath string) string {
	return path.Base(path.Dir(importPath)) + "/" + path.Base(importPath)
}

// newContext returns a context that shows the packages of the groups to the generators.
func (p *plan) newContext(names namer.NameSystems, order string) (*generator.Context, error) {
	if p.parser != nil {
		parsed, err := p.parser()
		if err != nil {
			return nil, err
		}
		return generator.NewContext(parsed, names, order)
	}
	c, err := generator.NewContext(parser.New(), names, order)
	if err != nil {
		return nil, err
	}
	c.Universe = newUniverse(p.groups, p.authored)
	c.Order = (&namer.Orderer{Namer: names[order]}).OrderUniverse(c.Universe)
	for _, g := range p.groups {
		for _, v := range g.versions {
			c.Inputs = append(c.Inputs, v.path)
		}
	}
	slices.Sort(c.Inputs)
	return c, nil
}
