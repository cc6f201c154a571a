package scaffold

import (
	"go/ast"
	"slices"
)

// declaredNames are what a Go file declares at its top level. Methods are not among the functions.
type declaredNames struct {
	types, values, functions []string
}

// declaredIn lists what a Go file declares.
func declaredIn(file *ast.File) declaredNames {
	var names declaredNames
	for _, decl := range file.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			if decl.Recv == nil {
				names.functions = append(names.functions, decl.Name.Name)
			}
		case *ast.GenDecl:
			for _, s := range decl.Specs {
				names.addSpec(s)
			}
		}
	}
	return names
}

func (n *declaredNames) addSpec(s ast.Spec) {
	switch s := s.(type) {
	case *ast.TypeSpec:
		n.types = append(n.types, s.Name.Name)
	case *ast.ValueSpec:
		for _, name := range s.Names {
			n.values = append(n.values, name.Name)
		}
	}
}

// all returns the names of every sort.
func (n declaredNames) all() []string { return slices.Concat(n.types, n.values, n.functions) }
