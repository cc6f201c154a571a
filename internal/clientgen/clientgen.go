package clientgen

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"k8s.io/gengo/v2/generator"
	"k8s.io/gengo/v2/namer"
	"k8s.io/gengo/v2/parser"

	"github.com/opgen-dev/opgen/internal/crdgen"
)

// File is a file of client/.
type File struct {
	Path    string // slash-separated, from the project's root
	Content []byte
}

// Files returns the typed clients of a project's packages, sorted by path: none when there are no packages. Module is
// the Go module path of the project. The packages are those of crdgen.Packages for a project with clients: their kinds
// carry the markers that say which clients there are.
func Files(module string, packages []crdgen.Package) ([]File, error) {
	if len(packages) == 0 {
		return nil, nil
	}
	scratch, err := os.MkdirTemp("", "opgen-client-") // the generators make a folder for each package before they write
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(scratch)
	p := newPlan(module, scratch, packages)
	for _, run := range []func() error{p.applyConfigurations, p.clientset, p.listers, p.informers} {
		if err := run(); err != nil {
			return nil, fmt.Errorf("typed clients: %w", err)
		}
	}
	slices.SortFunc(p.out.files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return p.out.files, p.out.err
}

// plan is what all four generators are told.
type plan struct {
	root   string // import path of client/
	dir    string // where the generators are to write client/, and do not
	groups []group
	out    *collector
}

func newPlan(module, scratch string, packages []crdgen.Package) *plan {
	groups := groupsOf(packages)
	return &plan{
		root:   module + "/client",
		dir:    scratch,
		groups: groups,
		out:    newCollector(scratch, groups),
	}
}

// execute runs one generator on the universe of the plan. Each run has a universe of its own: generators leave things
// behind in it.
func (p *plan) execute(names namer.NameSystems, order string, targets func(*generator.Context) []generator.Target) error {
	c, err := generator.NewContext(parser.New(), names, order)
	if err != nil {
		return err
	}
	c.Universe = newUniverse(p.groups)
	c.Order = (&namer.Orderer{Namer: names[order]}).OrderUniverse(c.Universe)
	for _, g := range p.groups {
		for _, v := range g.versions {
			c.Inputs = append(c.Inputs, v.path)
		}
	}
	slices.Sort(c.Inputs)
	c.FileTypes[generator.GoFileType] = p.out
	kinds := kindNames(p.groups)
	for _, target := range targets(c) {
		if err := c.ExecuteTarget(kindAware{target, kinds}); err != nil {
			return err
		}
	}
	return nil
}
