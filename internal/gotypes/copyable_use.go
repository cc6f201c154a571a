package gotypes

import (
	"go/token"
	"go/types"
)

// checkUse returns why a value of type t in a type cannot be copied, nil if it can.
func (c *copyChecker) checkUse(t types.Type, at token.Pos, holder *types.TypeName) *obstacle {
	if isShallowCopy(t) || c.describer.handWritten(t) != "" {
		return nil
	}
	if named, ok := types.Unalias(t).(*types.Named); ok {
		return c.checkNamed(named, at, holder)
	}
	return c.checkUnnamed(t, t, at, holder)
}

// checkUnnamed checks a type by its elements. Messages show the type shown.
func (c *copyChecker) checkUnnamed(t, shown types.Type, at token.Pos, holder *types.TypeName) *obstacle {
	switch under := types.Unalias(t).(type) {
	case *types.Pointer:
		return c.checkUse(under.Elem(), at, holder)
	case *types.Slice:
		return c.checkUse(under.Elem(), at, holder)
	case *types.Map:
		if !isShallowCopy(under.Key()) {
			return notCopiedProblem(at, "the keys of "+nameInGo(shown), holder)
		}
		return c.checkUse(under.Elem(), at, holder)
	case *types.Struct:
		return &obstacle{at, "a struct without a name has no deepcopy code", "declare a type for it"}
	case *types.Array:
		return &obstacle{at, nameInGo(shown) + " has a fixed length, and no deepcopy code", "write []" + nameInGo(under.Elem()) + ", and its length as +kubebuilder:validation:MinItems and MaxItems"}
	case *types.Basic:
		if under.Kind() == types.Invalid {
			return nil // the compiler reports it
		}
	}
	return notCopiedProblem(at, nameInGo(shown), holder)
}

// checkNamed checks a named type. A list or a map of another package is copied by its elements.
func (c *copyChecker) checkNamed(named *types.Named, at token.Pos, holder *types.TypeName) *obstacle {
	name := named.Obj()
	_, isStruct := named.Underlying().(*types.Struct)
	switch {
	case c.specs[name] != nil && c.excluded[name] && isStruct:
		return &obstacle{at, name.Name() + " is marked to get no deepcopy code, which copies of " + holder.Name() + " need", "take off the marker, or give " + name.Name() + " a method DeepCopyInto"}
	case c.specs[name] != nil && !name.Exported() && isStruct:
		return &obstacle{at, name.Name() + " is not exported, and gets no deepcopy code, which copies of " + holder.Name() + " need", "export it, or give it a method DeepCopyInto"}
	case c.specs[name] != nil:
		return c.checkType(name)
	case c.describer.hasMethod(named, "DeepCopyInto"):
		return nil
	case isStruct:
		return &obstacle{at, nameInGo(named) + " has no method DeepCopyInto, which copies of " + holder.Name() + " need", copyableAlternative(named)}
	}
	if found, known := c.checked[name]; known {
		return found
	}
	c.checked[name] = nil // for the time of the check, because the type may contain itself
	c.checked[name] = c.checkUnnamed(named.Underlying(), named, at, holder)
	return c.checked[name]
}

// notCopiedProblem returns the obstacle that generated code does not copy such a value at all.
func notCopiedProblem(at token.Pos, what string, holder *types.TypeName) *obstacle {
	return &obstacle{at, "generated code cannot copy " + what, "leave it out, or give " + holder.Name() + " a method DeepCopyInto"}
}

// copyableAlternative returns what to write instead of a type that cannot be copied.
func copyableAlternative(t types.Type) string {
	const orElse = "give the type a method DeepCopyInto"
	if fields, ok := t.Underlying().(*types.Struct); ok && fields.NumFields() > 0 && fields.Field(0).Pkg().Path() == "time" {
		return "use metav1.Time, or " + orElse
	}
	return "use another type, or " + orElse
}

// nameInGo returns a type as Go code writes it.
func nameInGo(t types.Type) string {
	return types.TypeString(t, func(pkg *types.Package) string { return pkg.Name() })
}

// isShallowCopy reports whether an assignment copies a value completely, in the opinion of
// controller-tools. It thinks so of no array.
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
