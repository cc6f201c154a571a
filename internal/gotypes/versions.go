package gotypes

import (
	"fmt"
	"maps"
	"slices"

	"golang.org/x/tools/go/packages"
	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/controller-tools/pkg/crd"
	"sigs.k8s.io/controller-tools/pkg/deepcopy"
	"sigs.k8s.io/controller-tools/pkg/loader"

	"github.com/opgen-dev/opgen/internal/kubetypes"
	"github.com/opgen-dev/opgen/internal/spec"
)

// AuthoredPackage is a Go package with types that an author owns: those of versions with goTypes: true.
type AuthoredPackage struct {
	ImportPath string
	Dir        string // slash-separated, from the folder of the source
	Kinds      []KindVersion
}

// KindVersion is a version of an API whose types an author owns.
type KindVersion struct {
	API     *spec.API
	Version int    // index in the API
	List    string // Go name of the list type
}

// Authored is what the packages of authors define.
type Authored struct {
	// APIs maps each API, as it was parsed, to a copy whose versions are filled in from Go types.
	APIs map[*spec.API]*spec.API
	// DeepCopy has the deepcopy code for all types of a package, by import path.
	DeepCopy map[string][]byte
	// Warnings are about omissions that opgen compensates for, such as a missing marker.
	Warnings spec.Problems
	// Packages are the packages, parsed and type-checked, by import path.
	Packages map[string]*packages.Package
}

// Versions reads packages with types of authors. Problems are at their positions in the Go files.
// The error is one of the go command itself.
func Versions(source Source, all []AuthoredPackage) (Authored, spec.Problems, error) {
	authored := Authored{APIs: map[*spec.API]*spec.API{}, DeepCopy: map[string][]byte{}, Packages: map[string]*packages.Package{}}
	var paths []string
	for _, pkg := range all {
		paths = append(paths, pkg.ImportPath)
	}
	p, err := loadPackages(source, paths, deepcopy.Generator{}.CheckFilter()) // all fields are copied, even without a JSON key
	if err != nil {
		return authored, nil, err
	}
	r := reader{program: p}
	for _, pkg := range all {
		for _, kind := range pkg.Kinds {
			if authored.APIs[kind.API] == nil {
				authored.APIs[kind.API] = copyOfAPI(kind.API)
			}
			r.readKind(p.roots[pkg.ImportPath], kind, authored.APIs[kind.API])
		}
		if root := p.roots[pkg.ImportPath]; root != nil && len(pkg.Kinds) > 0 {
			r.checkGroup(root, pkg.Kinds[0]) // the other kinds have the same group
		}
	}
	authored.Warnings = r.warnings
	if problems := slices.Concat(r.problems, p.packageProblems()); len(problems) > 0 {
		return authored, problems, nil
	}
	problems, err := p.checkCopies(paths, all)
	if err != nil || len(problems) > 0 {
		return authored, problems, err
	}
	authored.DeepCopy, err = p.deepCopies(paths)
	for _, path := range paths {
		authored.Packages[path] = p.roots[path].Package
	}
	return authored, p.packageProblems(), err
}

func copyOfAPI(api *spec.API) *spec.API {
	out := *api
	out.Versions = slices.Clone(api.Versions)
	out.At = maps.Clone(api.At)
	return &out
}

// reader fills in versions from their Go types.
type reader struct {
	program            *program
	problems, warnings spec.Problems
}

func (r *reader) readKind(pkg *loader.Package, kind KindVersion, into *spec.API) {
	if pkg == nil || len(pkg.GoFiles) == 0 {
		return // the problems of the program say why
	}
	r.program.parser.NeedPackage(pkg)
	name := kind.API.Names.GoKind
	info := r.program.parser.LookupType(pkg, name)
	if info == nil && isBroken(pkg) {
		return // the reason why the type is not known
	}
	if info == nil {
		r.failKind(kind, "package "+pkg.PkgPath+" has no type "+name, "declare it: type "+name+" struct { … }, as opgen create api does for a new kind")
		return
	}
	k := kindReader{reader: r, pkg: pkg, KindVersion: kind, info: info, api: into, version: &into.Versions[kind.Version]}
	k.checkObjects()
	before := len(r.problems)
	if !isBroken(pkg) {
		k.checkFields()
	}
	if len(r.problems) > before {
		k.applyMarkers() // for their contradictions
		return           // the CRD would repeat most of the problems, at positions that are not the author's
	}
	pkg.NeedTypesInfo()
	if declared := pkg.Types.Scope().Lookup(name); declared != nil && fieldCount(declared.Type()) > maxFields {
		k.reportAt(info.RawSpec, name+tooLarge, "hold types in fewer places")
		return
	}
	ident := crd.TypeIdent{Package: pkg, Name: name}
	r.program.parser.NeedSchemaFor(ident)
	if path := r.program.findRecursion(ident); path != nil {
		last := path[len(path)-1]
		k.reportAt(r.program.fieldOn(path, info.RawSpec), last.Name+" of "+last.Package.PkgPath+" is recursive, and a CRD cannot have a recursive schema", recursionHint)
		return
	}
	r.program.fitSchemas()
	r.program.requireKeys()
	r.program.parser.NeedFlattenedSchemaFor(ident)
	flat := r.program.parser.FlattenedSchemata[ident]
	k.fillVersion(withKindMetadata(*withMergedLimits(flat.DeepCopy()), kubetypes.Metadata(k.API.EmbeddedMetadata)))
}

// withKindMetadata returns the schema of a kind as its CRD has it. The metadata of the kind itself
// belongs to the API server, so that comments and markers there have no effect.
func withKindMetadata(s apiextv1.JSONSchemaProps, fields kubetypes.Metadata) apiextv1.JSONSchemaProps {
	s = kubetypes.WithLegalMetadata(kubetypes.WithMetadata(s, fields))
	if _, found := s.Properties["metadata"]; found {
		s.Properties["metadata"] = apiextv1.JSONSchemaProps{Type: "object"}
	}
	return s
}

func (r *reader) failKind(kind KindVersion, message, hint string) {
	path := fmt.Sprintf("versions[%d].goTypes", kind.Version)
	r.problems = append(r.problems, spec.Problem{Pos: kind.API.At[path], Path: path, Message: message, Hint: hint})
}

// fillVersion sets what the Go types say about a version.
func (k *kindReader) fillVersion(schema apiextv1.JSONSchemaProps) {
	v := k.version
	v.StandardRoot, v.StandardStatus = false, false // the Go types are complete
	root := k.newTree().rootNode(schema)
	v.Spec, v.Status = takeProperty(root, "spec"), takeProperty(root, "status")
	v.Root = root
	made := k.applyMarkers()
	if made == nil {
		return
	}
	v.Columns, v.Scale, v.SelectableFields = nil, nil, nil
	for _, c := range made.AdditionalPrinterColumns {
		v.Columns = append(v.Columns, spec.Column{
			Pos: v.Pos, Name: c.Name, Type: c.Type, Path: c.JSONPath, Format: c.Format, Description: c.Description, Priority: c.Priority,
		})
	}
	for _, f := range made.SelectableFields {
		v.SelectableFields = append(v.SelectableFields, f.JSONPath)
	}
	if sub := made.Subresources; sub != nil {
		v.Subresources.Status = sub.Status != nil
		v.Scale = scaleOf(sub.Scale, v.Pos)
	}
	for key, marker := range map[string]string{
		"columns": "printcolumn", "scale": "subresource:scale", "selectableFields": "selectablefield", "status": "subresource:status",
	} {
		k.api.At[fmt.Sprintf("versions[%d].%s", k.Version, key)] = k.markerPos(marker)
	}
	v.Authored = k.authoredTypes()
	if k.API.Operator != nil && v.Status != nil && !v.Subresources.Status {
		k.reportAt(k.info.RawSpec, "the operator writes the status of "+k.info.Name+", which is no subresource", "write above it: // +kubebuilder:subresource:status")
	}
}

func scaleOf(s *apiextv1.CustomResourceSubresourceScale, pos spec.Pos) *spec.Scale {
	if s == nil {
		return nil
	}
	out := &spec.Scale{Pos: pos, SpecReplicas: s.SpecReplicasPath, StatusReplicas: s.StatusReplicasPath}
	if s.LabelSelectorPath != nil {
		out.LabelSelector = *s.LabelSelectorPath
	}
	return out
}

// takeProperty removes a property from a node and returns its schema, nil if there is none.
func takeProperty(s *spec.Schema, name string) *spec.Schema {
	i := slices.IndexFunc(s.Properties, func(p spec.Property) bool { return p.Name == name })
	if i < 0 {
		return nil
	}
	taken := s.Properties[i].Schema
	s.Properties = slices.Delete(s.Properties, i, i+1)
	return taken
}

// packageProblems returns the errors of the packages themselves, at their positions.
func (p *program) packageProblems() spec.Problems {
	var problems spec.Problems
	own := map[*packages.Package]bool{}
	for _, root := range p.roots {
		own[root.Package] = true
	}
	p.roots.eachPackage(func(pkg *packages.Package) {
		for _, err := range pkg.Errors {
			if problem, ok := p.problemOf(err, own[pkg]); ok && !slices.Contains(problems, problem) {
				problems = append(problems, problem)
			}
		}
	})
	placed := func(problem spec.Problem) bool { return problem.Pos.Line > 0 }
	if slices.ContainsFunc(problems, placed) { // errors without a position follow from those that have one
		problems = slices.DeleteFunc(problems, func(problem spec.Problem) bool { return !placed(problem) })
	}
	return problems
}

// isBroken reports whether errors of a package prevent its types from being known.
func isBroken(pkg *loader.Package) bool {
	return slices.ContainsFunc(pkg.Errors, func(err packages.Error) bool { return err.Kind != packages.TypeError })
}
