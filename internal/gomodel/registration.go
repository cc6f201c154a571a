package gomodel

import "slices"

// Registration is how hand-written files of a package register its kinds. Authors who own the types
// of a kind may have such files, as kubebuilder's groupversion_info.go and init functions.
type Registration struct {
	Declared    map[string]bool // names of variables, constants and functions, such as AddToScheme
	Used        map[string]bool // names that the files use
	Types       map[string]bool // names of types
	Made        map[string]bool // names of types in expressions &T{}, as in calls that register them
	ByFunctions bool            // SchemeBuilder.Register takes functions, as apimachinery's does, instead of objects
}

// With returns the package with its hand-written registration, and with the lists that its kinds
// lack.
func (p Package) With(r Registration) Package {
	p.Registration, p.Types = r, slices.Clone(p.Types)
	for _, k := range p.Kinds {
		if p.LacksList(k) {
			p.Types = append(p.Types, k.listType())
		}
	}
	p.Imports = p.resolveImports()
	return p
}

// LacksList reports whether the author of a kind's types has not written its list.
func (p Package) LacksList(k Kind) bool {
	return k.GoTypes && p.Registration.Types[k.Name] && !p.Registration.Types[k.List]
}

// IsByHand reports whether hand-written files register kinds of the package. Generated code then
// only registers the others.
func (p Package) IsByHand() bool {
	has := p.Registration
	return has.Used["SchemeBuilder"] || has.Declared["AddToScheme"] || has.Declared["GroupVersion"] || has.Declared["SchemeGroupVersion"]
}

// Generates reports whether generated code declares a name in a package whose kinds are registered
// by hand.
func (p Package) Generates(name string) bool {
	switch {
	case p.Registration.Declared[name]:
		return false
	case name == "SchemeGroupVersion":
		return p.Clients || p.Registration.Used[name]
	case name == "SchemeBuilder":
		return p.Registration.Used[name] || p.Generates("AddToScheme")
	}
	return true
}

// Registered returns the kinds that generated code registers in such a package: those that
// hand-written files do not.
func (p Package) Registered() []Kind {
	has := p.Registration
	return slices.DeleteFunc(slices.Clone(p.Kinds), func(k Kind) bool { return has.Made[k.Name] && has.Made[k.List] })
}
