package gomodel

import "slices"

// Outline is what other packages need to know of a package whose types are generated already.
type Outline struct {
	Group   string        `json:"group"`
	Version string        `json:"version"`
	Kinds   []OutlineKind `json:"kinds"` // in the order of the package
}

// OutlineKind names the Go types of a kind.
type OutlineKind struct {
	Name   string `json:"name"`
	List   string `json:"list"`
	Spec   string `json:"spec,omitempty"`
	Status string `json:"status,omitempty"`
}

// Outline returns the outline of a package that opgen has all types of.
func (p Package) Outline() Outline {
	o := Outline{Group: p.Group, Version: p.Version}
	for _, k := range p.Kinds {
		o.Kinds = append(o.Kinds, OutlineKind{Name: k.Name, List: k.List, Spec: k.Spec, Status: k.Status})
	}
	return o
}

// outlineOf returns the outline of a package; nil if there is none.
func outlineOf(pkg Package, outlines []Outline) *Outline {
	i := slices.IndexFunc(outlines, func(o Outline) bool { return o.Group == pkg.Group && o.Version == pkg.Version })
	if i < 0 {
		return nil
	}
	return &outlines[i]
}

// fillKinds returns the package with the kinds of the outline.
func (o *Outline) fillKinds(pkg Package, kinds []kindVersion) Package {
	for i, k := range o.Kinds {
		pkg.Kinds = append(pkg.Kinds, Kind{API: kinds[i].api, Name: k.Name, List: k.List, Spec: k.Spec, Status: k.Status})
	}
	return pkg
}

// HasTypes reports whether opgen generates types of the package, which an outline leaves out.
func (p Package) HasTypes() bool {
	return len(p.Types) > 0 || slices.ContainsFunc(p.Kinds, func(k Kind) bool { return !k.GoTypes })
}
