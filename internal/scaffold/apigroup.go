package scaffold

import (
	"slices"
	"sync"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/opgen-dev/opgen/internal/crdgen"
	"github.com/opgen-dev/opgen/internal/gomodel"
	"github.com/opgen-dev/opgen/internal/parallel"
	"github.com/opgen-dev/opgen/internal/spec"
)

// apiGroup is the APIs of one group. They share Go packages, so that their files are made together:
// either all of them, or none if an earlier run has made them from the same source.
type apiGroup struct {
	name     string
	apis     []API
	key      string    // of Known; empty: the group is made in each run
	known    KnownPart // what an earlier run made
	isKnown  bool
	packages func() []gomodel.Package // those of its versions, modelled at the first call
}

// groupsOf returns the groups of the APIs of a source, in the order of their first APIs.
func groupsOf(in Source) ([]*apiGroup, error) {
	var groups []*apiGroup
	byName := map[string]*apiGroup{}
	for _, api := range in.APIs {
		g := byName[api.Group]
		if g == nil {
			g = &apiGroup{name: api.Group}
			byName[api.Group], groups = g, append(groups, g)
		}
		g.apis = append(g.apis, api)
	}
	for _, g := range groups {
		var err error
		if g.key, err = groupKey(in, g.apis); err != nil {
			return nil, err
		}
		g.known, g.isKnown = in.Known[g.key]
		g.packages = sync.OnceValue(func() []gomodel.Package {
			packages, _ := gomodel.Packages(in.Project, ReadAll(g.apis)) // what is known has no problems
			return packages
		})
	}
	return groups, nil
}

// modelPackages models the Go packages of the groups that are not known.
func modelPackages(in Source, groups []*apiGroup) spec.Problems {
	found := make([]spec.Problems, len(groups))
	parallel.Each(len(groups), func(i int) {
		g := groups[i]
		if g.isKnown {
			return
		}
		packages, problems := gomodel.Packages(in.Project, ReadAll(g.apis))
		for i, pkg := range packages {
			if registration, read := in.registrations[pkg.ImportPath]; read {
				packages[i] = pkg.With(registration)
			}
		}
		g.packages, found[i] = func() []gomodel.Package { return packages }, problems
	})
	return slices.Concat(found...)
}

// versions returns the names of the group's versions, each once.
func (g *apiGroup) versions() []string {
	var names []string
	for _, api := range g.apis {
		for _, v := range api.Versions {
			if !slices.Contains(names, v.Name) {
				names = append(names, v.Name)
			}
		}
	}
	return names
}

// hasTypes reports whether opgen generates types of a version. It does for a known group, none of
// whose types are an author's.
func (g *apiGroup) hasTypes(version string) bool {
	return g.isKnown || g.packageOf(version).HasTypes()
}

// packageOf returns the Go package of a version.
func (g *apiGroup) packageOf(version string) gomodel.Package {
	packages := g.packages()
	return packages[slices.IndexFunc(packages, func(pkg gomodel.Package) bool { return pkg.Version == version })]
}

// makeCRDs makes and checks the CRDs of the kinds of groups that are not known. The CRDs of the
// others were checked before, and are made if somebody asks for them.
func makeCRDs(all []kind, minKubernetes string) spec.Problems {
	found := make([]spec.Problems, len(all))
	parallel.Each(len(all), func(i int) {
		k := &all[i]
		if k.group.isKnown {
			k.crd = sync.OnceValue(func() *apiextv1.CustomResourceDefinition { return crdgen.Unchecked(k.api.Read()) })
			return
		}
		var crd *apiextv1.CustomResourceDefinition
		crd, found[i] = crdgen.CRD(k.api.Read(), minKubernetes)
		k.crd = func() *apiextv1.CustomResourceDefinition { return crd }
	})
	return slices.Concat(found...)
}
