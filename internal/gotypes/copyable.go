package gotypes

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"sigs.k8s.io/controller-tools/pkg/loader"
	"sigs.k8s.io/controller-tools/pkg/markers"

	"github.com/opgen-dev/opgen/internal/spec"
)

// generateMarker says whether a type gets deepcopy code.
const generateMarker = "kubebuilder:object:generate"

// copyChecker finds types for which controller-tools would generate deepcopy code that does not
// compile, or no code at all.
type copyChecker struct {
	program   *program
	describer describer
	specs     map[*types.TypeName]*ast.TypeSpec // of the types in the packages that get code
	excluded  map[*types.TypeName]bool          // types whose author wants no code
	checked   map[*types.TypeName]*obstacle
}

// obstacle is the reason why generated code cannot copy a value.
type obstacle struct {
	at            token.Pos
	message, hint string
}

// checkCopies returns a problem for each type that a kind needs and that cannot be copied. Other
// types that cannot be copied get no deepcopy code: whatever they contain, the package compiles.
func (p *program) checkCopies(importPaths []string, all []AuthoredPackage) (problems spec.Problems, err error) {
	c := copyChecker{
		program: p, describer: describer{program: p, hidden: map[string]map[string]bool{}},
		specs: map[*types.TypeName]*ast.TypeSpec{}, excluded: map[*types.TypeName]bool{}, checked: map[*types.TypeName]*obstacle{},
	}
	for _, path := range importPaths {
		if err := c.collect(p.roots[path]); err != nil {
			return nil, err
		}
	}
	needed := map[*types.TypeName]bool{}
	for _, pkg := range all {
		for _, kind := range pkg.Kinds {
			c.addNeeded(p.roots[pkg.ImportPath], kind.API.Names.GoKind, needed)
		}
	}
	for _, path := range importPaths {
		more, err := c.checkPackage(p.roots[path], needed)
		if err != nil {
			return nil, err
		}
		problems = append(problems, more...)
	}
	return problems, nil
}

// collect adds the types of a package.
func (c *copyChecker) collect(pkg *loader.Package) error {
	return markers.EachType(c.program.parser.Collector, pkg, func(info *markers.TypeInfo) {
		name, ok := pkg.TypesInfo.Defs[info.RawSpec.Name].(*types.TypeName)
		if !ok {
			return
		}
		c.specs[name] = info.RawSpec
		if generates, said := info.Markers.Get(generateMarker).(bool); said && !generates {
			c.excluded[name] = true
		}
	})
}

// addNeeded adds a type of a package and the types that it consists of to those that a kind needs.
func (c *copyChecker) addNeeded(pkg *loader.Package, name string, needed map[*types.TypeName]bool) {
	object, ok := pkg.Types.Scope().Lookup(name).(*types.TypeName)
	if !ok {
		return
	}
	var visit func(t types.Type)
	visit = func(t types.Type) {
		if named, ok := types.Unalias(t).(*types.Named); ok {
			if needed[named.Obj()] || c.specs[named.Obj()] == nil {
				return
			}
			needed[named.Obj()] = true
		}
		switch under := t.Underlying().(type) {
		case *types.Pointer:
			visit(under.Elem())
		case *types.Slice:
			visit(under.Elem())
		case *types.Map:
			visit(under.Elem())
		case *types.Struct:
			for field := range under.Fields() {
				visit(field.Type())
			}
		}
	}
	visit(object.Type())
}

// checkPackage returns problems for the types of a package that are needed and cannot be copied. It
// marks other types that cannot be copied, so that controller-tools generates no code for them.
func (c *copyChecker) checkPackage(pkg *loader.Package, needed map[*types.TypeName]bool) (problems spec.Problems, err error) {
	for _, name := range pkg.Types.Scope().Names() {
		object, ok := pkg.Types.Scope().Lookup(name).(*types.TypeName)
		if !ok || c.specs[object] == nil || !object.Exported() || c.excluded[object] {
			continue
		}
		found := c.checkType(object)
		switch {
		case found == nil:
		case needed[object]:
			problem := spec.Problem{Pos: c.program.positions.position(found.at), Message: found.message, Hint: found.hint}
			if !slices.Contains(problems, problem) {
				problems = append(problems, problem)
			}
		default:
			if err := addMarker(c.program.parser.Collector, pkg, c.specs[object], generateMarker, false); err != nil {
				return nil, err
			}
		}
	}
	return problems, nil
}

// checkType returns why a declared type cannot be copied, nil if it can.
func (c *copyChecker) checkType(name *types.TypeName) *obstacle {
	if found, known := c.checked[name]; known {
		return found
	}
	c.checked[name] = nil // for the time of the check, because the type may contain itself
	if c.describer.handWritten(name.Type()) == "" {
		c.checked[name] = c.checkDeclared(name)
	}
	return c.checked[name]
}

func (c *copyChecker) checkDeclared(name *types.TypeName) *obstacle {
	fields, isStruct := name.Type().Underlying().(*types.Struct)
	if !isStruct && isShallowCopy(name.Type()) {
		return nil
	}
	if !isStruct && isRecursiveWithoutStruct(name.Type(), nil) {
		return &obstacle{name.Pos(), name.Name() + " is recursive without a struct in between", "use a struct"}
	}
	if !isStruct {
		return c.checkUnnamed(name.Type().Underlying(), name.Type(), name.Pos(), name)
	}
	for field := range fields.Fields() {
		if field.Pkg() != name.Pkg() && !field.Exported() {
			return &obstacle{name.Pos(), name.Name() + " has hidden fields of package " + field.Pkg().Path() + ", which it alone can copy", copyableAlternative(name.Type())}
		}
		if found := c.checkUse(field.Type(), field.Pos(), name); found != nil {
			return found
		}
	}
	return nil
}

// isRecursiveWithoutStruct reports whether a list, a map or a pointer leads back to itself without
// a struct in between, as type Nodes []Nodes does. The generated code would be an endless nesting
// of loops.
func isRecursiveWithoutStruct(t types.Type, outer []types.Type) bool {
	if named, ok := types.Unalias(t).(*types.Named); ok {
		if slices.Contains(outer, types.Type(named)) {
			return true
		}
		outer = append(slices.Clone(outer), named)
	}
	switch under := t.Underlying().(type) {
	case *types.Pointer:
		return isRecursiveWithoutStruct(under.Elem(), outer)
	case *types.Slice:
		return isRecursiveWithoutStruct(under.Elem(), outer)
	case *types.Map:
		return isRecursiveWithoutStruct(under.Elem(), outer)
	}
	return false
}
