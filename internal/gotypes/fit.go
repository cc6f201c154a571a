package gotypes

import (
	"go/ast"
	"go/types"
	"maps"
	"math"
	"slices"
	"strings"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/controller-tools/pkg/crd"
	crdmarkers "sigs.k8s.io/controller-tools/pkg/crd/markers"
	"sigs.k8s.io/controller-tools/pkg/loader"
	"sigs.k8s.io/controller-tools/pkg/markers"

	"github.com/opgen-dev/opgen/internal/spec"
)

// fitSchemas changes the schemas of types that controller-tools has made, so that they accept what
// the Go types decode, and nothing else: limits of integers, the fields that JSON takes of embedded
// structs, and the forms of the Kubernetes types that fields of the author's module have. It fits
// each type once, before the references between types are replaced.
func (p *program) fitSchemas() {
	for _, ident := range slices.Collect(maps.Keys(p.parser.Schemata)) {
		p.fitSchema(ident)
	}
}

func (p *program) fitSchema(ident crd.TypeIdent) {
	info := p.parser.Types[ident]
	if p.fitted[ident] || info == nil || ident.Package.TypesInfo == nil {
		return
	}
	p.fitted[ident] = true
	schema := p.parser.Schemata[ident]
	f := fitter{p, ident.Package, p.inModule(ident.Package)}
	if structType, ok := info.RawSpec.Type.(*ast.StructType); ok {
		f.fitStruct(info, structType, &schema)
	} else if !p.isReplaced(ident.Package, info) {
		f.fitType(info.RawSpec.Type, &schema)
	}
	p.parser.Schemata[ident] = schema
}

// isReplaced reports whether the schema of a type does not come from its declaration: it writes its
// JSON itself, and a marker says what, or it is text.
func (p *program) isReplaced(pkg *loader.Package, info *markers.TypeInfo) bool {
	t := declaredType(pkg, info)
	return t == nil || hasMethod(t, "MarshalText") || hasMethod(t, "MarshalJSON")
}

// fitter fits the schemas of a package.
type fitter struct {
	program  *program
	pkg      *loader.Package
	inModule bool
}

func (f fitter) fitStruct(info *markers.TypeInfo, structType *ast.StructType, schema *apiextv1.JSONSchemaProps) {
	schema.Required = slices.DeleteFunc(schema.Required, func(name string) bool { return name == "" }) // of embedded fields
	holder, embedded, index := declaredType(f.pkg, info), 0, 0
	for _, field := range structType.Fields.List {
		at := index
		index += max(1, len(field.Names))
		tag, tagged := loader.ParseAstTag(field.Tag).Lookup("json")
		if !tagged || tag == "-" || markersOf(info, field).Get(crdmarkers.SchemalessName) != nil {
			continue
		}
		name := jsonName(tag)
		if property, found := schema.Properties[name]; found {
			f.fitType(field.Type, &property)
			schema.Properties[name] = property
		}
		if name != "" || embedded >= len(schema.AllOf) || holder == nil {
			continue
		}
		if hidden := hiddenNames(holder, at); len(hidden) > 0 {
			f.program.hideFields(f.pkg, &schema.AllOf[embedded], hidden)
		}
		embedded++
	}
}

// hideFields makes the reference to an embedded type one to a copy of its schema without some fields.
func (p *program) hideFields(pkg *loader.Package, reference *apiextv1.JSONSchemaProps, hidden []string) {
	ident, found := p.findReferred(pkg, reference)
	if !found {
		return
	}
	p.fitSchema(ident) // the copy is of the type as it is fitted
	original := p.parser.Schemata[ident]
	schema := original.DeepCopy()
	for _, name := range hidden {
		delete(schema.Properties, name)
	}
	isHidden := func(name string) bool { return slices.Contains(hidden, name) }
	schema.Required = slices.DeleteFunc(schema.Required, isHidden)
	for i := range schema.AllOf {
		p.hideFields(ident.Package, &schema.AllOf[i], hidden)
	}
	without := crd.TypeIdent{Package: ident.Package, Name: ident.Name + " without " + strings.Join(hidden, " ")}
	p.parser.Schemata[without], p.fitted[without] = *schema, true
	reference.Ref = new(*reference.Ref + strings.TrimPrefix(without.Name, ident.Name))
}

// findReferred returns the type that a schema refers to.
func (p *program) findReferred(from *loader.Package, schema *apiextv1.JSONSchemaProps) (crd.TypeIdent, bool) {
	if schema.Ref == nil {
		return crd.TypeIdent{}, false
	}
	name, path, err := crd.RefParts(*schema.Ref)
	if err != nil {
		return crd.TypeIdent{}, false
	}
	ident := crd.TypeIdent{Package: from, Name: name}
	if path != "" {
		ident.Package = from.Imports()[path]
	}
	_, found := p.parser.Schemata[ident]
	return ident, found
}

// fitType fits the schema of a value of a type.
func (f fitter) fitType(expr ast.Expr, schema *apiextv1.JSONSchemaProps) {
	switch expr := expr.(type) {
	case *ast.StarExpr:
		f.fitType(expr.X, schema)
	case *ast.ArrayType:
		if schema.Items != nil && schema.Items.Schema != nil {
			f.fitType(expr.Elt, schema.Items.Schema)
		}
	case *ast.MapType:
		if schema.AdditionalProperties != nil && schema.AdditionalProperties.Schema != nil {
			f.fitType(expr.Value, schema.AdditionalProperties.Schema)
		}
	case *ast.Ident, *ast.SelectorExpr:
		t := typeOf(f.pkg, expr)
		if t == nil {
			return
		}
		if f.inModule {
			fitKubernetesType(types.TypeString(types.Unalias(t), nil), schema)
		}
		if basic, ok := t.Underlying().(*types.Basic); ok {
			fitNumber(basic.Kind(), schema)
		}
	}
}

// numberLimits are the limits of numbers that have no format to say them.
var numberLimits = map[types.BasicKind][2]*float64{
	types.Int8:   {new(float64(math.MinInt8)), new(float64(math.MaxInt8))},
	types.Int16:  {new(float64(math.MinInt16)), new(float64(math.MaxInt16))},
	types.Uint8:  {new(0.0), new(float64(math.MaxUint8))},
	types.Uint16: {new(0.0), new(float64(math.MaxUint16))},
	types.Uint32: {new(0.0), new(float64(math.MaxUint32))},
	types.Uint64: {new(0.0), nil},
	types.Uint:   {new(0.0), nil},
}

// fitNumber limits a number to what its Go type holds. A type that is referred to has the limits
// itself.
func fitNumber(kind types.BasicKind, schema *apiextv1.JSONSchemaProps) {
	if schema.Type != "integer" && schema.Type != "number" {
		return // a marker says another type
	}
	switch {
	case kind == types.Uint32 && schema.Format == "int32":
		schema.Format = "int64"
	case kind == types.Float32 && schema.Format == "":
		schema.Format = "float"
	}
	limits := numberLimits[kind]
	if schema.Ref != nil {
		return
	}
	if lowest := limits[0]; lowest != nil && (schema.Minimum == nil || *schema.Minimum < *lowest) {
		schema.Minimum, schema.ExclusiveMinimum = lowest, false
	}
	if highest := limits[1]; highest != nil && (schema.Maximum == nil || *schema.Maximum > *highest) {
		schema.Maximum, schema.ExclusiveMaximum = highest, false
	}
}

// fitKubernetesType limits a field to what a type of Kubernetes decodes. The types keep the schemas
// that they have in every CRD within other types of Kubernetes.
func fitKubernetesType(name string, schema *apiextv1.JSONSchemaProps) {
	limits := spec.GoLimits(name)
	if limits.Pattern != "" {
		if schema.Pattern != "" && schema.Pattern != limits.Pattern {
			schema.AllOf = append(schema.AllOf, apiextv1.JSONSchemaProps{Pattern: schema.Pattern})
		}
		schema.Pattern = limits.Pattern
	}
	if limits.Minimum != nil && (schema.Minimum == nil || *schema.Minimum < *limits.Minimum) {
		schema.Minimum = limits.Minimum
	}
	if limits.Maximum != nil && (schema.Maximum == nil || *schema.Maximum > *limits.Maximum) {
		schema.Maximum = limits.Maximum
	}
}
