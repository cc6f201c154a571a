package templates

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/opgen-dev/opgen/internal/crdgen"
	"github.com/opgen-dev/opgen/internal/spec"
)

// Operator is what the package of one controller is rendered from.
type Operator struct {
	Module   string         // of the project
	API      crdgen.Package // of the parent's storage version
	Parent   crdgen.Kind
	Children []Child
	Finalize bool
	// SamplePath is the file of the parent's sample, from the project's root.
	SamplePath string
}

// Child is a kind of children.
type Child struct {
	Field            string // of the structs Children and Desired, such as Pods
	APIVersion, Kind string
	// GoPackage and GoName are the Go type; both are empty for an unstructured child.
	GoPackage, GoName string
	// Registered means that client-go's scheme knows the type.
	Registered bool
	// Namespaced means that its objects lie in namespaces.
	Namespaced bool
	// Foreign means that neither Kubernetes nor the project defines the kind.
	Foreign bool
	Update  spec.Update
	Retired bool
}

// OperatorFile renders internal/<kind>/zz_generated.operator.go.
func OperatorFile(o Operator) ([]byte, error) {
	return renderGo("operator/operator.go", newOperatorView(o))
}

// SyncFile renders internal/<kind>/sync.go, which its author goes on from.
func SyncFile(o Operator) ([]byte, error) {
	return renderGo("operator/sync.go", newOperatorView(o))
}

// SyncTestFile renders internal/<kind>/sync_test.go, which its author goes on from.
func SyncTestFile(o Operator) ([]byte, error) {
	return renderGo("operator/sync_test.go", newOperatorView(o))
}

// operatorView is an Operator with the import names of one file.
type operatorView struct {
	Operator
	imports *importSet
}

func newOperatorView(o Operator) operatorView {
	v := operatorView{o, newImportSet("context", "operator", "runtime", "metav1", "unstructured", "errors", "os", "testing", "meta", "yaml", "operatortest")}
	v.imports.add(o.API.ImportPath, o.API.Alias)
	for _, c := range o.Children {
		if c.GoPackage != "" {
			v.imports.add(c.GoPackage, alias(c.GoPackage))
		}
	}
	return v
}

// Imports are the import specs of the API packages that the file uses and the project does not have itself.
func (v operatorView) Imports() []string {
	return v.importSpecs(func(path string) bool { return !v.own(path) })
}

// OwnImports are the import specs of the API packages of the project.
func (v operatorView) OwnImports() []string {
	return v.importSpecs(v.own)
}

// APIImport is the import spec of the parent's package.
func (v operatorView) APIImport() string {
	return v.importSpecs(func(path string) bool { return path == v.API.ImportPath })[0]
}

func (v operatorView) own(path string) bool { return strings.HasPrefix(path, v.Module+"/") }

func (v operatorView) importSpecs(wanted func(path string) bool) []string {
	var specs []string
	for _, path := range slices.Sorted(maps.Keys(v.imports.names)) {
		if wanted(path) {
			specs = append(specs, v.imports.names[path]+" "+strconv.Quote(path))
		}
	}
	return specs
}

// APIName is the name that the parent's package is imported by.
func (v operatorView) APIName() string { return v.imports.names[v.API.ImportPath] }

// Package is the name of the Go package.
func (v operatorView) Package() string { return PackageName(v.Parent.Name) }

// A is the parent's kind with its article, such as an EchoServer.
func (v operatorView) A() string { return a(v.Parent.Name) }

// ParentType is the parent's Go type.
func (v operatorView) ParentType() string { return v.APIName() + "." + v.Parent.Name }

// StatusType is the Go type of the parent's status, struct{} when it has none.
func (v operatorView) StatusType() string {
	if v.Parent.Status == "" {
		return "struct{}"
	}
	return v.APIName() + "." + v.Parent.Status
}

// ClusterScoped reports whether the parent lies in no namespace.
func (v operatorView) ClusterScoped() bool { return v.Parent.API.Scope == spec.Cluster }

// Made are the kinds of children that Sync can ask for.
func (v operatorView) Made() []childView {
	return slices.DeleteFunc(v.All(), func(c childView) bool { return c.Retired })
}

// All are the kinds of children, the retired ones too.
func (v operatorView) All() []childView {
	views := make([]childView, len(v.Children))
	for i, c := range v.Children {
		views[i] = childView{c, v.imports.names[c.GoPackage]}
	}
	return views
}

// Unstructured reports whether a field has a child without a Go type.
func (v operatorView) Unstructured() bool {
	return slices.ContainsFunc(v.Made(), func(c childView) bool { return c.GoPackage == "" })
}

// RunsInTests reports whether the operator can run against any API server that has the project's CRDs.
func (v operatorView) RunsInTests() bool {
	return !slices.ContainsFunc(v.Children, func(c Child) bool { return c.Foreign })
}

// Schemes are the AddToScheme functions of the types that client-go's scheme lacks.
func (v operatorView) Schemes() string {
	add := []string{v.APIName() + ".AddToScheme"}
	for _, c := range v.All() {
		name := c.alias + ".AddToScheme"
		if c.GoPackage != "" && !c.Registered && !slices.Contains(add, name) {
			add = append(add, name)
		}
	}
	return strings.Join(add, ", ")
}

// Conditions is the field of the status that the runtime keeps its conditions in, empty when there is none.
func (v operatorView) Conditions() string {
	if a := v.Parent.Authored; a != nil {
		return a.Conditions
	}
	return v.statusField("conditions", func(t *crdgen.GoType) bool {
		return t.Shape == crdgen.List && t.Elem.Name == "Condition" && t.Elem.Package == "k8s.io/apimachinery/pkg/apis/meta/v1"
	})
}

// ObservedGeneration is the field of the status that the runtime keeps the parent's generation in.
func (v operatorView) ObservedGeneration() string {
	if a := v.Parent.Authored; a != nil {
		return a.ObservedGeneration
	}
	return v.statusField("observedGeneration", func(t *crdgen.GoType) bool {
		return t.Shape == crdgen.Name && t.Name == "int64"
	})
}

// statusField returns the Go name of a field of the status by its JSON key, if its type fits.
func (v operatorView) statusField(key string, fits func(*crdgen.GoType) bool) string {
	for _, f := range v.statusFields() {
		if name, _, _ := strings.Cut(f.Tag, ","); name == key && fits(f.Type) {
			return f.Name
		}
	}
	return ""
}

func (v operatorView) statusFields() []crdgen.Field {
	for _, t := range v.API.Types {
		if t.Name == v.Parent.Status {
			return t.Fields
		}
	}
	return nil
}

// StatusFields are the fields of the status that are Sync's to set.
func (v operatorView) StatusFields() string {
	if a := v.Parent.Authored; a != nil {
		return strings.Join(a.StatusFields, ", ")
	}
	var names []string
	for _, f := range v.statusFields() {
		if f.Name != v.Conditions() && f.Name != v.ObservedGeneration() {
			names = append(names, f.Name)
		}
	}
	return strings.Join(names, ", ")
}

// childView is a Child with the import name of its type.
type childView struct {
	Child
	alias string
}

// Type is the Go type of the child's objects.
func (c childView) Type() string {
	if c.GoPackage == "" {
		return "*unstructured.Unstructured"
	}
	return "*" + c.alias + "." + c.GoName
}

// Empty is an expression for an empty object of the kind.
func (c childView) Empty() string {
	if c.GoPackage == "" {
		return "operator.Unstructured(" + strconv.Quote(c.APIVersion) + ", " + strconv.Quote(c.Kind) + ")"
	}
	return "new(" + c.alias + "." + c.GoName + ")"
}

// Examples are statements that make a child of the parent desired, to be completed. In a namespace the runtime fills
// in the parent's; the child of a parent that lies in none names one.
func (v operatorView) Examples(c childView) []string {
	meta, needsNamespace := "Name: req.Parent.Name", c.Namespaced && v.ClusterScoped()
	if needsNamespace {
		meta += `, Namespace: "default"`
	}
	if c.GoPackage != "" {
		return []string{"want." + c.Field + ".Add(&" + c.alias + "." + c.GoName + "{ObjectMeta: metav1.ObjectMeta{" + meta + "}})"}
	}
	name := strings.ToLower(c.Kind[:1]) + c.Kind[1:]
	lines := []string{name + " := " + c.Empty(), name + ".SetName(req.Parent.Name)"}
	if needsNamespace {
		lines = append(lines, name+`.SetNamespace("default")`)
	}
	return append(lines, "want."+c.Field+".Add("+name+")")
}
