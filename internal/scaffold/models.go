package scaffold

import (
	"sync"

	"github.com/opgen-dev/opgen/internal/gomodel"
	"github.com/opgen-dev/opgen/internal/spec"
)

// models completes outlines of packages, those of a group at once and when the first is needed.
type models map[string]func() []gomodel.Package // by group

// newModels returns the models of the known groups of a source.
func newModels(in Source, known knownParts) models {
	m := models{}
	for group := range known.groups {
		m[group] = sync.OnceValue(func() []gomodel.Package {
			var apis []*spec.API
			for _, api := range in.APIs {
				if api.Group == group {
					apis = append(apis, in.readSchemas(api))
				}
			}
			packages, _ := gomodel.Packages(in.Project, apis) // what is known has no problems
			return packages
		})
	}
	return m
}

// complete returns a package with its types.
func (m models) complete(pkg gomodel.Package) gomodel.Package {
	model, outlined := m[pkg.Group]
	if !outlined || len(pkg.Types) > 0 {
		return pkg
	}
	for _, whole := range model() {
		if whole.Version == pkg.Version {
			whole.Alias = pkg.Alias // which depends on the other groups, too
			return whole
		}
	}
	return pkg
}
