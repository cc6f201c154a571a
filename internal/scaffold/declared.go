package scaffold

import (
	"go/ast"
	"slices"
)

// declaredNames are the top-level declarations of a Go file. The functions do not include methods.
type declaredNames struct {
	types, values, functions []string
}

// declaredIn returns the declarations of a Go file.
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

// all returns the names of types, values and functions.
func (n declaredNames) all() []string { return slices.Concat(n.types, n.values, n.functions) }
