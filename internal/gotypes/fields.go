package gotypes

import (
	"go/ast"
	"go/types"
	"slices"

	crdmarkers "sigs.k8s.io/controller-tools/pkg/crd/markers"
	"sigs.k8s.io/controller-tools/pkg/loader"
	"sigs.k8s.io/controller-tools/pkg/markers"

	"github.com/opgen-dev/opgen/internal/spec"
)

// fieldChecker checks Go types for fields without a schema, and for fields whose schema differs from
// their JSON.
type fieldChecker struct {
	program  *program
	known    []string // names of markers; nil if the markers of the types are not checked
	seen     map[*markers.TypeInfo]bool
	problems spec.Problems
	warnings spec.Problems
}

func (p *program) newFieldChecker(known []string) *fieldChecker {
	return &fieldChecker{program: p, known: known, seen: map[*markers.TypeInfo]bool{}}
}

// checkFields reports the problems of the kind's fields, each at its position.
func (k *kindReader) checkFields() {
	f := k.program.newFieldChecker(markerNames(k.program.registry))
	f.checkType(k.pkg, k.info, nil)
	k.problems = append(k.problems, f.problems...)
	if !slices.Contains(k.API.AcceptWarnings, spec.WarnMarkers) {
		k.warnings = append(k.warnings, f.warnings...)
	}
}

func (f *fieldChecker) reportAt(at ast.Node, message, hint string) {
	problem := spec.Problem{Pos: f.program.positions.ofNode(at), Message: message, Hint: hint}
	if !slices.Contains(f.problems, problem) {
		f.problems = append(f.problems, problem)
	}
}

func (f *fieldChecker) warnAt(at ast.Node, message, hint string) {
	f.warn(f.program.positions.ofNode(at), message, hint)
}

func (f *fieldChecker) warn(pos spec.Pos, message, hint string) {
	problem := spec.Problem{Pos: pos, Warning: spec.WarnMarkers, Message: message, Hint: hint}
	if !slices.Contains(f.warnings, problem) {
		f.warnings = append(f.warnings, problem)
	}
}

// checkType checks a type and the types of its fields. outer are the types that contain it.
func (f *fieldChecker) checkType(pkg *loader.Package, info *markers.TypeInfo, outer []*markers.TypeInfo) {
	if f.seen[info] {
		return
	}
	f.seen[info] = true
	f.checkMarkers(commentsOfType(info))
	f.checkJSONMethods(pkg, info)
	f.checkEnum(info)
	outer = append(slices.Clone(outer), info)
	structType, ok := info.RawSpec.Type.(*ast.StructType)
	if !ok {
		f.checkValue(pkg, info.RawSpec.Type, info.RawSpec, outer)
		return
	}
	if hidesFields(pkg, info) {
		return
	}
	before := structType.Fields.Opening
	for _, field := range structType.Fields.List {
		f.checkMarkers(commentsBetween(pkg, before, field))
		before = field.End()
		tag, tagged := loader.ParseAstTag(field.Tag).Lookup("json")
		if tag == "-" {
			continue
		}
		if !tagged {
			f.checkUntagged(field)
			continue
		}
		f.checkTag(pkg, field, tag)
		said := markersOf(info, field)
		if said.Get(crdmarkers.SchemalessName) == nil { // otherwise its type has no effect on the schema
			f.checkValue(pkg, field.Type, field, outer)
			f.checkForeignEnum(pkg, field, said)
			f.checkForeignJSON(pkg, field, said)
		}
	}
	f.checkNames(pkg, info, structType)
}

func markersOf(info *markers.TypeInfo, field *ast.Field) markers.MarkerValues {
	for _, known := range info.Fields {
		if known.RawField == field {
			return known.Markers
		}
	}
	return nil
}

// recursionHint is what to do about a type that contains itself.
const recursionHint = "end the schema here: // +kubebuilder:validation:Schemaless and // +kubebuilder:pruning:PreserveUnknownFields above the field, or use runtime.RawExtension"

// checkNamed checks a type by its name.
func (f *fieldChecker) checkNamed(pkg *loader.Package, info *markers.TypeInfo, at ast.Node, outer []*markers.TypeInfo) {
	switch {
	case info == nil: // a predeclared type, or one that does not exist, which the compiler reports
	case slices.Contains(outer, info):
		f.reportAt(at, info.Name+" is recursive, and a CRD cannot have a recursive schema",
			recursionHint)
	default:
		f.checkType(pkg, info, outer)
	}
}

// typeInfo returns what a package declares by a name, nil if it declares no such type.
func (f *fieldChecker) typeInfo(pkg *loader.Package, name string) *markers.TypeInfo {
	f.program.parser.NeedPackage(pkg)
	return f.program.parser.LookupType(pkg, name)
}

// typeOf returns the type of an expression, nil if the compiler does not know it.
func typeOf(pkg *loader.Package, expr ast.Expr) types.Type {
	t := pkg.TypesInfo.TypeOf(expr)
	if t == nil || t == types.Typ[types.Invalid] {
		return nil
	}
	return t
}
