package gotypes

import (
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/controller-tools/pkg/crd"
	"sigs.k8s.io/controller-tools/pkg/loader"

	"github.com/opgen-dev/opgen/internal/kubetypes"
	"github.com/opgen-dev/opgen/internal/nearest"
	"github.com/opgen-dev/opgen/internal/spec"
)

// Use is a node that names a Go type by its import path, with the package of generated Go types
// that will have a field of the type.
type Use struct {
	spec.GoTypeUse
	Importer string // import path; empty if there is none
}

// Resolve loads the Go types that nodes name, all at once, and sets the schema and description of
// each node. It returns a problem for each node whose type cannot be used. The error is one of the
// go command itself.
func Resolve(source Source, uses []Use) (spec.Problems, error) {
	paths := map[string]bool{}
	for _, use := range uses {
		path, _, _ := spec.SplitGoType(use.Schema.Type)
		paths[path] = true
	}
	if len(paths) == 0 {
		return nil, nil
	}
	p, err := loadPackages(source, sortedKeys(paths), crd.Generator{}.CheckFilter(), isEmbeddedField)
	if err != nil {
		return nil, err
	}
	p.parser.IgnoreUnexportedFields = true // the author of the spec file cannot change these types
	r := resolver{program: p, describer: describer{program: p, hidden: map[string]map[string]bool{}}, known: map[string]result{}}
	var problems spec.Problems
	for _, use := range uses {
		known := r.resolve(use)
		if known.trouble != nil {
			problems = append(problems, spec.Problem{Pos: use.Pos, Path: use.Path, Message: known.trouble.message, Hint: known.trouble.hint})
			continue
		}
		use.Schema.Go = known.goType
	}
	return problems, nil
}

// resolver finds the types of a program by their names in spec files.
type resolver struct {
	program   *program
	describer describer
	known     map[string]result
}

// result is a type, or why it cannot be used.
type result struct {
	goType  *spec.GoType
	trouble *trouble
}

// trouble is why a type cannot be used.
type trouble struct{ message, hint string }

func (r *resolver) resolve(use Use) result {
	path, name, _ := spec.SplitGoType(use.Schema.Type)
	if t := r.program.checkImport(path, use.Importer); t != nil {
		return result{trouble: t}
	}
	known, found := r.known[use.Schema.Type]
	if !found {
		known = r.readType(r.program.roots[path], path, name)
		r.known[use.Schema.Type] = known
	}
	return known
}

func (r *resolver) readType(pkg *loader.Package, path, name string) result {
	if t := r.program.unread[path]; t != nil {
		return result{trouble: t}
	}
	r.program.parser.NeedPackage(pkg)
	pkg.NeedTypesInfo()
	named, t := lookUp(pkg, name)
	if t != nil {
		return result{trouble: t}
	}
	if fieldCount(named) > maxFields {
		return result{trouble: &trouble{name + tooLarge, "use a type that holds less"}}
	}
	goType := &spec.GoType{Package: path, PackageName: pkg.Name, Name: name, Form: string(formOf(named))}
	before := r.program.roots.countErrors()
	ident := crd.TypeIdent{Package: pkg, Name: name}
	if t := r.checkFields(pkg, name); t != nil {
		return result{trouble: t}
	}
	r.program.parser.NeedSchemaFor(ident)
	if r.program.findRecursion(ident) != nil {
		return result{trouble: &trouble{name + " is recursive, and a CRD cannot have a recursive schema", "use a type that is not recursive, or type: object with x-kubernetes-preserve-unknown-fields: true"}}
	}
	r.program.fitSchemas()
	r.program.parser.NeedFlattenedSchemaFor(ident)
	for _, err := range r.program.roots.errorsSince(before) {
		return result{trouble: &trouble{name + " has no schema: " + r.program.rewordError(err).Message, "see " + r.program.positions.shortPosition(err.Pos)}}
	}
	schema := r.program.parser.FlattenedSchemata[ident]
	goType.Schema = kubetypes.WithLegalMetadata(*withoutEmpty(withMergedLimits(schema.DeepCopy())))
	whole, element, ok := r.describer.describeCopy(named)
	if !ok {
		return result{trouble: &trouble{
			name + " has pointers, lists or maps, but no method DeepCopyInto, which copies of your kind need",
			"generate it: mark the type +kubebuilder:object:generate=true and run controller-gen object in its package",
		}}
	}
	goType.Copy, goType.Elem = string(whole), string(element)
	return result{goType: goType}
}

// checkFields returns why a type of the author's module has no schema, or another one than its JSON.
func (r *resolver) checkFields(pkg *loader.Package, name string) *trouble {
	info := r.program.parser.LookupType(pkg, name)
	if info == nil || !r.program.inModule(pkg) {
		return nil
	}
	f := r.program.newFieldChecker(nil)
	f.checkType(pkg, info, nil)
	if len(f.problems) == 0 {
		return nil
	}
	first := f.problems[0]
	return &trouble{first.Pos.String() + ": " + first.Message, first.Hint}
}

// lookUp returns a type of a package that can have a schema.
func lookUp(pkg *loader.Package, name string) (types.Type, *trouble) {
	object := pkg.Types.Scope().Lookup(name)
	if object == nil {
		return nil, &trouble{"package " + pkg.PkgPath + " has no type " + name, suggestType(pkg, name)}
	}
	typeName, isType := object.(*types.TypeName)
	switch {
	case !isType:
		return nil, &trouble{name + " of " + pkg.PkgPath + " is no type", suggestType(pkg, name)}
	case !token.IsExported(name):
		return nil, &trouble{name + " is not exported, so that no other package can use it", suggestType(pkg, name)}
	}
	if named, ok := types.Unalias(typeName.Type()).(*types.Named); ok && named.TypeParams().Len() > 0 {
		return nil, &trouble{name + " is generic, and there is no way to say of what", "declare a type with the fields that it has for the types that you mean"}
	}
	if what := withoutSchema(typeName.Type()); what != "" {
		return nil, &trouble{name + " is " + what + ", which has no schema", "use a struct, a list, a map, a text, a number or a boolean"}
	}
	return typeName.Type(), nil
}

// withoutSchema returns what a type is that JSON cannot represent, such as "a function". It returns
// "" for other types.
func withoutSchema(t types.Type) string {
	switch under := t.Underlying().(type) {
	case *types.Interface:
		return "an interface"
	case *types.Chan:
		return "a channel"
	case *types.Signature:
		return "a function"
	case *types.Pointer:
		return "a pointer"
	case *types.Basic:
		if under.Info()&(types.IsBoolean|types.IsInteger|types.IsFloat|types.IsString) == 0 || under.Kind() == types.Uintptr {
			return under.Name()
		}
	}
	return ""
}

// suggestType returns the exported type that a misspelt name most likely means.
func suggestType(pkg *loader.Package, name string) string {
	var names []string
	for _, other := range pkg.Types.Scope().Names() {
		if _, isType := pkg.Types.Scope().Lookup(other).(*types.TypeName); isType && token.IsExported(other) {
			names = append(names, other)
		}
	}
	switch best := nearest.Name(name, names); {
	case best != "":
		return `did you mean "` + pkg.PkgPath + "." + best + `"?`
	case len(names) == 0:
		return "it exports no types"
	case len(names) <= 12:
		return "it has: " + strings.Join(names, ", ")
	}
	return "see: go doc " + pkg.PkgPath
}

// withoutEmpty removes empty maps of properties, and sets Allows where values have a schema.
// controller-gen does both when it writes a CRD, so that schemas that differ only in this are
// equal.
func withoutEmpty(s *apiextv1.JSONSchemaProps) *apiextv1.JSONSchemaProps {
	if len(s.Properties) == 0 {
		s.Properties = nil
	}
	for name, property := range s.Properties {
		s.Properties[name] = *withoutEmpty(&property)
	}
	if s.Items != nil && s.Items.Schema != nil {
		withoutEmpty(s.Items.Schema)
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
		s.AdditionalProperties.Allows = true
		withoutEmpty(s.AdditionalProperties.Schema)
	}
	return s
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
