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
	specs     map[*types.TypeName]*ast.TypeSpec // of the types of the packages that code is made for
	excluded  map[*types.TypeName]bool          // that are not to get any
	checked   map[*types.TypeName]*obstacle
}

// obstacle is why a value cannot be copied by generated code.
type obstacle struct {
	at            token.Pos
	message, hint string
}

// checkCopies returns problems for the types that kinds need and that cannot be copied. Other types
// of that sort get no deepcopy code: they may hold anything that compiles.
func (p *program) checkCopies(importPaths []string, all []Package) (problems spec.Problems, err error) {
	j := copyChecker{
		program: p, describer: describer{program: p, hidden: map[string]map[string]bool{}},
		specs: map[*types.TypeName]*ast.TypeSpec{}, excluded: map[*types.TypeName]bool{}, checked: map[*types.TypeName]*obstacle{},
	}
	for _, path := range importPaths {
		if err := j.collect(p.roots[path]); err != nil {
			return nil, err
		}
	}
	needed := map[*types.TypeName]bool{}
	for _, pkg := range all {
		for _, kind := range pkg.Kinds {
			j.need(p.roots[pkg.ImportPath], kind.API.Names.GoKind, needed)
		}
	}
	for _, path := range importPaths {
		more, err := j.checkPackage(p.roots[path], needed)
		if err != nil {
			return nil, err
		}
		problems = append(problems, more...)
	}
	return problems, nil
}

// collect takes in the types of a package.
func (j *copyChecker) collect(pkg *loader.Package) error {
	return markers.EachType(j.program.parser.Collector, pkg, func(info *markers.TypeInfo) {
		name, ok := pkg.TypesInfo.Defs[info.RawSpec.Name].(*types.TypeName)
		if !ok {
			return
		}
		j.specs[name] = info.RawSpec
		if generates, said := info.Markers.Get(generateMarker).(bool); said && !generates {
			j.excluded[name] = true
		}
	})
}

// need notes the types that a type of a package is made of.
func (j *copyChecker) need(pkg *loader.Package, name string, needed map[*types.TypeName]bool) {
	object, ok := pkg.Types.Scope().Lookup(name).(*types.TypeName)
	if !ok {
		return
	}
	var visit func(t types.Type)
	visit = func(t types.Type) {
		if named, ok := types.Unalias(t).(*types.Named); ok {
			if needed[named.Obj()] || j.specs[named.Obj()] == nil {
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

// checkPackage reports the types of a package that are needed and cannot be copied, and has the
// others of that sort get no code.
func (j *copyChecker) checkPackage(pkg *loader.Package, needed map[*types.TypeName]bool) (problems spec.Problems, err error) {
	for _, name := range pkg.Types.Scope().Names() {
		object, ok := pkg.Types.Scope().Lookup(name).(*types.TypeName)
		if !ok || j.specs[object] == nil || !object.Exported() || j.excluded[object] {
			continue
		}
		found := j.checkType(object)
		switch {
		case found == nil:
		case needed[object]:
			problem := spec.Problem{Pos: j.program.positions.of(found.at), Message: found.message, Hint: found.hint}
			if !slices.Contains(problems, problem) {
				problems = append(problems, problem)
			}
		default:
			if err := addMarker(j.program.parser.Collector, pkg, j.specs[object], generateMarker, false); err != nil {
				return nil, err
			}
		}
	}
	return problems, nil
}

// checkType returns what keeps a type of the packages from being copied, nil if nothing does.
func (j *copyChecker) checkType(name *types.TypeName) *obstacle {
	if found, known := j.checked[name]; known {
		return found
	}
	j.checked[name] = nil // while it is looked at: it may hold itself
	if j.describer.handWritten(name.Type()) == "" {
		j.checked[name] = j.checkDeclared(name)
	}
	return j.checked[name]
}

func (j *copyChecker) checkDeclared(name *types.TypeName) *obstacle {
	fields, isStruct := name.Type().Underlying().(*types.Struct)
	if !isStruct && isShallowCopy(name.Type()) {
		return nil
	}
	if !isStruct && holdsItself(name.Type(), nil) {
		return &obstacle{name.Pos(), name.Name() + " holds itself, and no struct comes between", "use a struct"}
	}
	if !isStruct {
		return j.checkUnnamed(name.Type().Underlying(), name.Type(), name.Pos(), name)
	}
	for field := range fields.Fields() {
		if field.Pkg() != name.Pkg() && !field.Exported() {
			return &obstacle{name.Pos(), name.Name() + " has hidden fields of package " + field.Pkg().Path() + ", which it alone can copy", copyableAlternative(name.Type())}
		}
		if found := j.checkUse(field.Type(), field.Pos(), name); found != nil {
			return found
		}
	}
	return nil
}

// holdsItself reports whether a list, a map or a pointer leads back to itself without a struct on
// the way.
func holdsItself(t types.Type, outer []types.Type) bool {
	if named, ok := types.Unalias(t).(*types.Named); ok {
		if slices.Contains(outer, types.Type(named)) {
			return true
		}
		outer = append(slices.Clone(outer), named)
	}
	switch under := t.Underlying().(type) {
	case *types.Pointer:
		return holdsItself(under.Elem(), outer)
	case *types.Slice:
		return holdsItself(under.Elem(), outer)
	case *types.Map:
		return holdsItself(under.Elem(), outer)
	}
	return false
}
