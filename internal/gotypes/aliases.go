package gotypes

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/packages"
	"sigs.k8s.io/controller-tools/pkg/crd"
	"sigs.k8s.io/controller-tools/pkg/loader"
)

// keepAliases has controller-tools read an alias of a list, a map, a pointer or a struct by its name,
// as it reads those of other types. It would refuse them otherwise.
func (p *program) keepAliases() {
	p.roots.eachPackage(func(pkg *packages.Package) {
		path := loader.NonVendorPath(pkg.PkgPath)
		if _, replaced := p.parser.PackageOverrides[path]; !replaced {
			p.parser.PackageOverrides[path] = func(parser *crd.Parser, pkg *loader.Package) {
				parser.AddPackage(pkg)
				wrapAliases(pkg.TypesInfo)
			}
		}
	})
}

// wrapAliases makes the types of names that are aliases of unnamed types aliases of these aliases:
// controller-tools follows one alias, and then needs a name.
func wrapAliases(info *types.Info) {
	if info == nil {
		return
	}
	for expr, known := range info.Types {
		ident, isName := expr.(*ast.Ident)
		alias, isAlias := known.Type.(*types.Alias)
		if !isName || !isAlias || alias.TypeArgs().Len() > 0 {
			continue
		}
		switch alias.Rhs().(type) {
		case *types.Map, *types.Slice, *types.Array, *types.Pointer, *types.Struct:
			name := types.NewTypeName(ident.Pos(), alias.Obj().Pkg(), alias.Obj().Name(), nil)
			known.Type = types.NewAlias(name, alias)
			info.Types[expr] = known
		}
	}
}
