package templates

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/opgen-dev/opgen/internal/gomodel"
)

// copyAliases names imports as controller-gen does. The alias is the last element of the path, with
// as many elements in front as make it unique: v1 for k8s.io/api/core/v1, and appsv1 if v1 is
// taken. The name of the package itself is never used.
type copyAliases struct {
	byPath  map[string]string
	byAlias map[string]string
	called  map[string]string // import path → package name, if it is not the last element of the path
}

func newCopyAliases(pkg gomodel.Package) *copyAliases {
	return &copyAliases{byPath: map[string]string{}, byAlias: map[string]string{pkg.Name: ""}, called: map[string]string{}}
}

// aliasFor returns the alias of an import path.
func (a *copyAliases) aliasFor(importPath string) string {
	if alias, found := a.byPath[importPath]; found {
		return alias
	}
	alias := ""
	elements := strings.Split(importPath, "/")
	for i := len(elements) - 1; i >= 0; i-- {
		alias = aliasPart(elements[i]) + alias
		if _, taken := a.byAlias[alias]; !taken {
			break
		}
	}
	a.byPath[importPath], a.byAlias[alias] = alias, importPath
	return alias
}

// aliasPart turns an element of a path into a part of an identifier.
func aliasPart(element string) string {
	element = strings.TrimLeftFunc(element, unicode.IsDigit)
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' {
			return r
		}
		return '_'
	}, element)
}

// imports returns the needed imports, sorted by path. It leaves out an alias that equals the name
// of the package.
func (a *copyAliases) imports() []gomodel.Import {
	var out []gomodel.Import
	for _, importPath := range slices.Sorted(maps.Keys(a.byPath)) {
		alias := a.byPath[importPath]
		if alias == cmp.Or(a.called[importPath], path.Base(importPath)) {
			alias = ""
		}
		out = append(out, gomodel.Import{Alias: alias, Path: importPath})
	}
	return out
}
