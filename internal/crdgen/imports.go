package crdgen

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/opgen-dev/opgen/internal/kubetypes"
)

// imports returns the imports that the types need, sorted by path.
func imports(types []Type) []Import {
	paths := map[string]bool{}
	eachGoType(types, func(t *GoType) {
		if t.Package != "" {
			paths[t.Package] = true
		}
	})
	var out []Import
	for _, p := range slices.Sorted(maps.Keys(paths)) {
		out = append(out, Import{Alias: ImportAlias(p), Path: p})
	}
	return out
}

// ImportAlias returns what Go code calls a package of Kubernetes: corev1 for k8s.io/api/core/v1, and nothing for
// the packages that are called by their own name.
func ImportAlias(importPath string) string {
	dir, version := path.Split(importPath)
	if !strings.HasPrefix(version, "v") || len(version) < 2 || version[1] < '0' || version[1] > '9' {
		return ""
	}
	return path.Base(dir) + version
}

// eachGoType visits every type that the declarations use, outermost first.
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

// resolveCopies finds out how the structs of the package are copied: those that hold no reference are assigned.
func (b *packageBuilder) resolveCopies() {
	structs := map[string][]Field{}
	for _, t := range b.pkg.Types {
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
	eachGoType(b.pkg.Types, func(t *GoType) {
		if _, ours := structs[t.Name]; t.Shape == Name && t.Package == "" && ours {
			t.Form, t.Copy = kubetypes.Struct, kubetypes.CopyInto
			if assignable(t) {
				t.Copy = kubetypes.CopyAssign
			}
		}
	})
}
