package gotypes

import (
	"go/ast"
	"go/types"
	"slices"

	"sigs.k8s.io/controller-tools/pkg/loader"
	"sigs.k8s.io/controller-tools/pkg/markers"
)

// enumMarkers are the markers that limit a field to some values.
var enumMarkers = []string{"kubebuilder:validation:Enum", "k8s:enum"}

// checkEnum warns of the marker +enum above a type. Kubernetes' own types have it, and it has no
// effect on a CRD.
func (f *fieldChecker) checkEnum(info *markers.TypeInfo) {
	if hasEnumMarker(info.Markers) {
		return
	}
	for _, c := range commentsOfType(info) {
		if c.text == "+enum" {
			f.warn(f.program.positions.position(c.at), "+enum has no effect on a CRD, which accepts any value of "+info.Name,
				"write +k8s:enum, which reads the constants of the type, or +kubebuilder:validation:Enum=a;b")
		}
	}
}

// checkForeignEnum warns of a field of a type of another module with the marker +enum, such as
// core/v1.PullPolicy.
func (f *fieldChecker) checkForeignEnum(pkg *loader.Package, field *ast.Field, said markers.MarkerValues) {
	selector := foreignType(field.Type)
	if selector == nil || hasEnumMarker(said) {
		return
	}
	imported := pkg.Imports()[importPath(pkg, selector)]
	if imported == nil || f.program.inModule(imported) {
		return
	}
	info := f.typeInfo(imported, selector.Sel.Name)
	if info == nil {
		return
	}
	isEnum := func(c comment) bool { return c.text == "+enum" }
	if slices.ContainsFunc(commentsOfType(info), isEnum) {
		name := types.ExprString(selector)
		f.warnAt(field, name+" is a choice of a few values to Kubernetes, and the CRD accepts any", "list them above the field: // +kubebuilder:validation:Enum=a;b")
	}
}

func hasEnumMarker(said markers.MarkerValues) bool {
	return slices.ContainsFunc(enumMarkers, func(name string) bool { return said.Get(name) != nil })
}
