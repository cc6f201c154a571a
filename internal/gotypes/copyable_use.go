package gotypes

import (
	"go/token"
	"go/types"
)

// checkUse returns what keeps a value that a type holds from being copied, nil if nothing does.
func (j *copyChecker) checkUse(t types.Type, at token.Pos, holder *types.TypeName) *obstacle {
	if isShallowCopy(t) || j.describer.handWritten(t) != "" {
		return nil
	}
	if named, ok := types.Unalias(t).(*types.Named); ok {
		return j.checkNamed(named, at, holder)
	}
	return j.checkUnnamed(t, t, at, holder)
}

// checkUnnamed checks a type by its elements. shown is what messages call it.
func (j *copyChecker) checkUnnamed(t, shown types.Type, at token.Pos, holder *types.TypeName) *obstacle {
	switch under := types.Unalias(t).(type) {
	case *types.Pointer:
		return j.checkUse(under.Elem(), at, holder)
	case *types.Slice:
		return j.checkUse(under.Elem(), at, holder)
	case *types.Map:
		if !isShallowCopy(under.Key()) {
			return notCopiedProblem(at, "the keys of "+nameInGo(shown), holder)
		}
		return j.checkUse(under.Elem(), at, holder)
	case *types.Struct:
		return &obstacle{at, "a struct without a name has no deepcopy code", "declare a type for it"}
	case *types.Array:
		return &obstacle{at, nameInGo(shown) + " has a fixed length, and no deepcopy code", "write []" + nameInGo(under.Elem()) + ", and its length as +kubebuilder:validation:MinItems and MaxItems"}
	case *types.Basic:
		if under.Kind() == types.Invalid {
			return nil // which the compiler reports
		}
	}
	return notCopiedProblem(at, nameInGo(shown), holder)
}

// checkNamed checks a type with a name: a list or a map of another package is copied by its
// elements.
func (j *copyChecker) checkNamed(named *types.Named, at token.Pos, holder *types.TypeName) *obstacle {
	name := named.Obj()
	_, isStruct := named.Underlying().(*types.Struct)
	switch {
	case j.specs[name] != nil && j.excluded[name] && isStruct:
		return &obstacle{at, name.Name() + " is marked to get no deepcopy code, which copies of " + holder.Name() + " need", "take off the marker, or give " + name.Name() + " a method DeepCopyInto"}
	case j.specs[name] != nil && !name.Exported() && isStruct:
		return &obstacle{at, name.Name() + " is not exported, and gets no deepcopy code, which copies of " + holder.Name() + " need", "export it, or give it a method DeepCopyInto"}
	case j.specs[name] != nil:
		return j.checkType(name)
	case j.describer.has(named, "DeepCopyInto"):
		return nil
	case isStruct:
		return &obstacle{at, nameInGo(named) + " has no method DeepCopyInto, which copies of " + holder.Name() + " need", copyableAlternative(named)}
	}
	if found, known := j.checked[name]; known {
		return found
	}
	j.checked[name] = nil // while it is looked at: it may hold itself
	j.checked[name] = j.checkUnnamed(named.Underlying(), named, at, holder)
	return j.checked[name]
}

// notCopiedProblem is the obstacle that no generated code copies a value.
func notCopiedProblem(at token.Pos, what string, holder *types.TypeName) *obstacle {
	return &obstacle{at, "generated code cannot copy " + what, "leave it out, or give " + holder.Name() + " a method DeepCopyInto"}
}

// copyableAlternative says what to write in the place of a type that cannot be copied.
func copyableAlternative(t types.Type) string {
	const orElse = "give the type a method DeepCopyInto"
	if fields, ok := t.Underlying().(*types.Struct); ok && fields.NumFields() > 0 && fields.Field(0).Pkg().Path() == "time" {
		return "use metav1.Time, or " + orElse
	}
	return "use another type, or " + orElse
}

// nameInGo is a type as Go code names it.
func nameInGo(t types.Type) string {
	return types.TypeString(t, func(pkg *types.Package) string { return pkg.Name() })
}

// isShallowCopy reports whether an assignment copies all of a value, as controller-tools sees it:
// no array does.
func isShallowCopy(t types.Type) bool {
	switch under := t.Underlying().(type) {
	case *types.Basic:
		return under.Kind() != types.Invalid && under.Kind() != types.UnsafePointer
	case *types.Struct:
		for field := range under.Fields() {
			if !isShallowCopy(field.Type()) {
				return false
			}
		}
		return true
	}
	return false
}
