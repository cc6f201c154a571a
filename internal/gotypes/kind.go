package gotypes

import (
	"fmt"
	"go/ast"
	"go/types"
	"maps"
	"slices"
	"strings"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/controller-tools/pkg/crd"
	"sigs.k8s.io/controller-tools/pkg/loader"
	"sigs.k8s.io/controller-tools/pkg/markers"

	"github.com/opgen-dev/opgen/internal/spec"
)

const metaPackage = "k8s.io/apimachinery/pkg/apis/meta/v1"

// kindReader reads one version of a kind from its Go types.
type kindReader struct {
	*reader
	KindVersion
	pkg     *loader.Package
	info    *markers.TypeInfo // of the kind
	api     *spec.API         // the API that is filled in
	version *spec.Version     // of api
}

func (k *kindReader) reportAt(at ast.Node, message, hint string) {
	k.problems = append(k.problems, spec.Problem{Pos: k.program.positions.ofNode(at), Message: message, Hint: hint})
}

// checkObjects checks that the kind and its list are types of Kubernetes objects.
func (k *kindReader) checkObjects() {
	k.checkObject(k.info, "ObjectMeta", "metadata,omitempty")
	list := k.program.parser.LookupType(k.pkg, k.List)
	if list == nil {
		name := k.List
		k.reportAt(k.info.RawSpec, "package "+k.pkg.Name+" has no type "+name+", the list of "+k.info.Name,
			"declare it: a struct with metav1.TypeMeta, metav1.ListMeta and Items []"+k.info.Name+" `json:\"items\"`")
		return
	}
	k.checkObject(list, "ListMeta", "metadata,omitempty")
}

// checkObject checks that a type embeds TypeMeta and the metadata, and that its marker says that it
// is an object.
func (k *kindReader) checkObject(info *markers.TypeInfo, meta, tag string) {
	if root, _ := info.Markers.Get(rootMarker).(bool); !root {
		k.markAsObject(info)
	}
	for _, embeds := range [][2]string{{"TypeMeta", ",inline"}, {meta, tag}} {
		name, tag := embeds[0], embeds[1]
		if !slices.ContainsFunc(info.Fields, func(f markers.FieldInfo) bool {
			return f.Name == "" && typeString(k.pkg, f.RawField.Type) == metaPackage+"."+name
		}) {
			k.reportAt(info.RawSpec, info.Name+" embeds no metav1."+name, "add the line: metav1."+name+" `json:\""+tag+"\"`")
		}
	}
}

// rootMarker says that a type is a Kubernetes object.
const rootMarker = "kubebuilder:object:root"

// markAsObject adds the marker that gives a type the methods of an object, and warns its author
// that it is missing.
func (k *kindReader) markAsObject(info *markers.TypeInfo) {
	if err := addMarker(k.program.parser.Collector, k.pkg, info.RawSpec, rootMarker, true); err != nil {
		return // an invalid marker, which controller-tools reports
	}
	if slices.Contains(k.API.AcceptWarnings, spec.WarnMarkers) {
		return
	}
	k.warnings = append(k.warnings, spec.Problem{
		Pos: k.program.positions.ofNode(info.RawSpec), Warning: spec.WarnMarkers,
		Message: info.Name + " has no marker object:root, but gets the methods of an object",
		Hint:    "write above it: // +kubebuilder:object:root=true",
	})
}

// addMarker adds a marker to a type as if its author had written it.
func addMarker(collector *markers.Collector, pkg *loader.Package, at *ast.TypeSpec, marker string, value any) error {
	said, err := collector.MarkersInPackage(pkg)
	if err != nil {
		return err
	}
	if said[at] == nil {
		said[at] = markers.MarkerValues{}
	}
	said[at][marker] = []any{value}
	return nil
}

func typeString(pkg *loader.Package, expr ast.Expr) string {
	if t := pkg.TypesInfo.TypeOf(expr); t != nil {
		return t.String()
	}
	return ""
}

// fieldByKey returns the field of a struct with a JSON key, nil if there is none.
func fieldByKey(info *markers.TypeInfo, key string) *markers.FieldInfo {
	for i, f := range info.Fields {
		if jsonName(f.Tag.Get("json")) == key {
			return &info.Fields[i]
		}
	}
	return nil
}

func jsonName(tag string) string {
	name, _, _ := strings.Cut(tag, ",")
	return name
}

// authoredTypes returns the names of the Go types of spec and status, for the generated code that
// uses them.
func (k *kindReader) authoredTypes() *spec.Authored {
	a := &spec.Authored{ClientMarkers: k.clientMarkers()}
	if f := fieldByKey(k.info, "spec"); f != nil {
		a.Spec = localName(k.pkg, f.RawField.Type)
	}
	f := fieldByKey(k.info, "status")
	if f == nil {
		return a
	}
	a.Status = localName(k.pkg, f.RawField.Type)
	if k.API.Operator != nil && (a.Status == "" || f.Name != "Status") {
		k.reportAt(f.RawField, "the operator writes the status, which must be a field Status of a type of this package, and no pointer",
			"write: Status "+k.info.Name+"Status `json:\"status,omitempty\"`")
	}
	status := k.program.parser.LookupType(k.pkg, a.Status)
	if status == nil {
		return a
	}
	for _, f := range status.Fields {
		switch t := typeString(k.pkg, f.RawField.Type); {
		case jsonName(f.Tag.Get("json")) == "conditions" && t == "[]"+metaPackage+".Condition":
			a.Conditions = f.Name
		case jsonName(f.Tag.Get("json")) == "observedGeneration" && t == "int64":
			a.ObservedGeneration = f.Name
		case ast.IsExported(f.Name):
			a.StatusFields = append(a.StatusFields, f.Name)
		}
	}
	return a
}

// localName returns the name of a type of the package, and "" for a type of another package.
func localName(pkg *loader.Package, expr ast.Expr) string {
	ident, ok := expr.(*ast.Ident)
	if !ok {
		return ""
	}
	if named, ok := pkg.TypesInfo.TypeOf(ident).(*types.Named); !ok || named.Obj().Pkg() != pkg.Types {
		return ""
	}
	return ident.Name
}

// applyMarkers returns the version that the markers of the kind describe. It returns nil if they
// contradict the API file.
func (k *kindReader) applyMarkers() *apiextv1.CustomResourceDefinitionVersion {
	names := k.API.Names
	made := &apiextv1.CustomResourceDefinition{}
	made.Spec.Names = apiextv1.CustomResourceDefinitionNames{Plural: names.Plural, Singular: strings.ToLower(names.GoKind)}
	made.Spec.Versions = []apiextv1.CustomResourceDefinitionVersion{{Name: k.version.Name, Served: true}}
	for _, name := range slices.Sorted(maps.Keys(k.info.Markers)) {
		for _, value := range k.info.Markers[name] {
			if err := applyMarker(value, made, k.version.Name); err != nil {
				k.problems = append(k.problems, spec.Problem{
					Pos:     k.markerPos(strings.TrimPrefix(name, "kubebuilder:")),
					Message: "+" + name + ": " + err.Error(), Hint: "correct the marker, or leave it out",
				})
			}
		}
	}
	if len(made.Spec.Versions) == 0 {
		k.reportContradiction("kubebuilder:skipversion", "leaves the version out", "has it")
		return nil
	}
	k.reportContradictions(made)
	return &made.Spec.Versions[0]
}

func applyMarker(marker any, made *apiextv1.CustomResourceDefinition, version string) error {
	switch m := marker.(type) {
	case crd.SpecMarker:
		return m.ApplyToCRD(&made.Spec, version)
	case crd.Marker:
		return m.ApplyToCRD(made, version)
	}
	return nil
}

// reportContradictions reports markers that contradict the API file. The file decides everything
// but the schema.
func (k *kindReader) reportContradictions(made *apiextv1.CustomResourceDefinition) {
	api, names, version := k.API, k.API.Names, made.Spec.Versions[0]
	says := func(marker, what string, inGo, inFile any) {
		goText, fileText := shownValue(inGo), shownValue(inFile)
		if k.info.Markers.Get(marker) != nil && goText != fileText {
			k.reportContradiction(marker, "says "+what+" "+goText, "says "+fileText)
		}
	}
	const resource = "kubebuilder:resource"
	says(resource, "path", made.Spec.Names.Plural, names.Plural)
	says(resource, "singular", made.Spec.Names.Singular, names.Singular)
	says(resource, "scope", made.Spec.Scope, api.Scope)
	says(resource, "shortName", made.Spec.Names.ShortNames, names.ShortNames)
	says(resource, "categories", made.Spec.Names.Categories, names.Categories)
	says("kubebuilder:storageversion", "that objects are stored in this version:", version.Storage, k.version.Storage)
	says("kubebuilder:unservedversion", "that this version is served:", version.Served, k.version.Served)
	says("kubebuilder:deprecatedversion", "that this version is deprecated:", version.Deprecated, k.version.Deprecated)
	says("kubebuilder:metadata", "annotations", made.Annotations, api.Annotations)
	says("kubebuilder:metadata", "labels", made.Labels, api.Labels)
}

// shownValue returns a value of a marker or a file as people write it.
func shownValue(value any) string {
	var items []string
	switch v := value.(type) {
	case []string:
		items = v
	case map[string]string:
		for _, key := range sortedKeys(v) {
			items = append(items, key+"="+v[key])
		}
	default:
		return fmt.Sprint(value)
	}
	if len(items) == 0 {
		return "none"
	}
	return strings.Join(items, ", ")
}

func (k *kindReader) reportContradiction(marker, inGo, inFile string) {
	k.problems = append(k.problems, spec.Problem{
		Pos:     k.markerPos(strings.TrimPrefix(marker, "kubebuilder:")),
		Message: "+" + marker + " " + inGo + ", and " + k.API.File + " " + inFile,
		Hint:    "the file decides: correct the marker, or leave it out",
	})
}
