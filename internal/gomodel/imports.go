package gomodel

import (
	"cmp"
	"go/token"
	"go/types"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/opgen-dev/opgen/internal/kubetypes"
)

// resolveImports returns the imports that the types of a package need, sorted by path. It sets the
// aliases of the types.
func (pkg Package) resolveImports() []Import {
	names := map[string]string{}
	eachGoType(pkg.Types, func(t *GoType) {
		if t.Package != "" {
			names[t.Package] = cmp.Or(t.PackageName, path.Base(t.Package))
		}
	})
	aliases := importAliases(names)
	eachGoType(pkg.Types, func(t *GoType) { t.alias = aliases[t.Package] })
	var out []Import
	for _, p := range slices.Sorted(maps.Keys(names)) {
		out = append(out, Import{Alias: aliases[p], Path: p})
	}
	return out
}

// importAliases returns an alias for each package whose name is not unique. names are the names
// that the packages declare. Packages of Kubernetes get their customary alias; any other gets as
// many elements in front of its last one as make it unique.
func importAliases(names map[string]string) map[string]string {
	aliases, taken := map[string]string{}, map[string]bool{}
	for _, kubernetes := range []bool{true, false} {
		for _, p := range slices.Sorted(maps.Keys(names)) {
			if isKubernetes(p) != kubernetes {
				continue
			}
			name := freeAlias(p, names[p], taken)
			taken[name] = true
			if name != names[p] {
				aliases[p] = name
			}
		}
	}
	return aliases
}

func isKubernetes(importPath string) bool { return strings.HasPrefix(importPath, "k8s.io/") }

func freeAlias(importPath, own string, taken map[string]bool) string {
	name, rest := ImportAlias(importPath), path.Dir(importPath)
	if name == "" {
		name = own
	} else {
		rest = path.Dir(rest)
	}
	name = identifierOf(name)
	for ; (taken[name] || isReserved(name)) && rest != "."; rest = path.Dir(rest) {
		name = identifierOf(path.Base(rest)) + name
	}
	for taken[name] || isReserved(name) {
		name += "pkg"
	}
	return name
}

// isReserved reports whether a name has another meaning in Go.
func isReserved(name string) bool {
	return name == "" || name[0] <= '9' || token.IsKeyword(name) || types.Universe.Lookup(name) != nil
}

// identifierOf returns the letters and digits of an element of an import path.
func identifierOf(element string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9':
			return r
		case 'A' <= r && r <= 'Z':
			return r - 'A' + 'a'
		}
		return -1
	}, element)
}

// ImportAlias returns the customary alias of a package of Kubernetes: corev1 for
// k8s.io/api/core/v1. It returns "" for packages that are imported without an alias.
func ImportAlias(importPath string) string {
	dir, version := path.Split(importPath)
	if !strings.HasPrefix(version, "v") || len(version) < 2 || version[1] < '0' || version[1] > '9' {
		return ""
	}
	return path.Base(dir) + version
}

// eachGoType calls visit with every type that the declarations use, outermost first.
func eachGoType(types []Type, visit func(*GoType)) {
	walk := func(t *GoType) {
		for ; t != nil; t = t.Elem {
			visit(t)
		}
	}
	for _, t := range types {
		walk(t.Of)
		for _, f := range t.Fields {
			walk(f.Type)
		}
	}
}

// resolveCopies sets how the structs of a package are copied. A struct without references is
// assigned.
func resolveCopies(types []Type) {
	structs := map[string][]Field{}
	for _, t := range types {
		if t.Of == nil {
			structs[t.Name] = t.Fields
		}
	}
	var assignable func(t *GoType) bool
	assignable = func(t *GoType) bool {
		if t.Shape != Name {
			return false
		}
		fields, ours := structs[t.Name]
		if t.Package != "" || !ours {
			return t.Copy == kubetypes.CopyAssign
		}
		return !slices.ContainsFunc(fields, func(f Field) bool { return !assignable(f.Type) })
	}
	eachGoType(types, func(t *GoType) {
		if _, ours := structs[t.Name]; t.Shape == Name && t.Package == "" && ours {
			t.Form, t.Copy = kubetypes.Struct, kubetypes.CopyInto
			if assignable(t) {
				t.Copy = kubetypes.CopyAssign
			}
		}
	})
}
