package gomodel

import "slices"

// Registration is what the hand-written files of a package say of how its kinds are registered.
// Kinds whose types are their author's may bring that along, as kubebuilder's groupversion_info.go
// and init functions do.
type Registration struct {
	Declared    map[string]bool // names of variables, constants and functions, such as AddToScheme
	Used        map[string]bool // names of whatever kind
	Types       map[string]bool // names of types
	Made        map[string]bool // names of types of which there is an &T{}, as where they are registered
	ByFunctions bool            // SchemeBuilder.Register takes functions, as apimachinery's does, and not objects
}

// With returns the package with what hand-written files register of it, and with the lists of kinds
// that have none.
func (p Package) With(r Registration) Package {
	p.Registration, p.Types = r, slices.Clone(p.Types)
	for _, k := range p.Kinds {
		if p.LacksList(k) {
			p.Types = append(p.Types, listType(k))
		}
	}
	p.Imports = resolveImports(p)
	return p
}

// LacksList reports whether the author of a kind's types has left out its list.
func (p Package) LacksList(k Kind) bool {
	return k.GoTypes && p.Registration.Types[k.Name] && !p.Registration.Types[k.List]
}

// IsByHand reports whether hand-written files register kinds of the package, so that generated code
// only adds what they lack.
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

// Registered returns the kinds that generated code registers in a package whose kinds are
// registered by hand: those that hand-written files do not register.
func (p Package) Registered() []Kind {
	has := p.Registration
	return slices.DeleteFunc(slices.Clone(p.Kinds), func(k Kind) bool { return has.Made[k.Name] && has.Made[k.List] })
}
