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

// copyAliases names imports as controller-gen does: by the last element of the path, with as many
// elements before it as it takes to be unique. The package's own name is never used.
type copyAliases struct {
	byPath  map[string]string
	byAlias map[string]string
	called  map[string]string // import path → what the package calls itself, where its path ends otherwise
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

// aliasPart makes an element of a path part of an identifier.
func aliasPart(element string) string {
	element = strings.TrimLeftFunc(element, unicode.IsDigit)
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' {
			return r
		}
		return '_'
	}, element)
}

// imports returns the imports that were needed, sorted by path. An alias is left out where it is
// the package's own name.
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
