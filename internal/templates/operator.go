package templates

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/opgen-dev/opgen/internal/gomodel"
	"github.com/opgen-dev/opgen/internal/kinds"
)

// Operator is what the package of one controller is rendered from.
type Operator struct {
	Project string          // its name
	Module  string          // of the project
	API     gomodel.Package // of the parent's storage version
	Parent  gomodel.Kind
	// Name is that of the controller, in its field manager, metrics and Events; empty: that of its
	// package.
	Name     string
	Children []kinds.Child
	Related  []kinds.Related
	Finalize bool
	Ordered  bool          // children go in the order that Finalize asks for
	Retries  int           // 0: no limit
	Timeout  time.Duration // 0: the runtime's own
	// ForbidPause and ForbidDisconnect take their effect from annotations of users.
	ForbidPause, ForbidDisconnect bool
	// SamplePath is the file of the parent's sample, from the project's root.
	SamplePath string
	// Controller is set for kinds that exist already; then API, Parent and SamplePath are not.
	Controller *Controller
}

// OperatorFile renders internal/<kind>/zz_generated.operator.go.
func OperatorFile(o Operator) ([]byte, error) {
	return renderGo("operator/operator.go", newOperatorView(o))
}

// SyncFile renders internal/<kind>/sync.go, which its author goes on from.
func SyncFile(o Operator) ([]byte, error) {
	if o.Controller != nil {
		return renderGo("operator/controller_sync.go", newOperatorView(o))
	}
	return renderGo("operator/sync.go", newOperatorView(o))
}

// SyncTestFile renders internal/<kind>/sync_test.go, which its author goes on from.
func SyncTestFile(o Operator) ([]byte, error) {
	if o.Controller != nil {
		return renderGo("operator/controller_sync_test.go", newOperatorView(o))
	}
	return renderGo("operator/sync_test.go", newOperatorView(o))
}

// operatorView is an Operator with the import names of one file.
type operatorView struct {
	Operator
	imports *importSet
}

func newOperatorView(o Operator) operatorView {
	v := operatorView{o, newImportSet("context", "time", "cel", "operator", "runtime", "metav1", "unstructured", "errors", "os", "testing", "meta", "yaml", "operatortest", "client", "fmt")}
	if o.Controller == nil {
		v.imports.add(o.API.ImportPath, o.API.Alias)
	}
	for _, r := range o.resources() {
		if r.GoPackage != "" {
			v.imports.add(r.GoPackage, importAlias(r.GoPackage))
		}
	}
	return v
}

// resources are the kinds of a controller's parents, of children and of related objects.
func (o Operator) resources() []kinds.Resource {
	var all []kinds.Resource
	if o.Controller != nil {
		for _, p := range o.Controller.Parents {
			all = append(all, p.Resource)
		}
	}
	for _, c := range o.Children {
		all = append(all, c.Resource)
	}
	for _, r := range o.Related {
		all = append(all, r.Resource)
	}
	return all
}

// Imports are the import specs of the API packages that the file uses and the project does not have
// itself.
func (v operatorView) Imports() []string {
	return v.importSpecs(func(path string) bool { return !v.isInProject(path) })
}

// OwnImports are the import specs of the API packages of the project.
func (v operatorView) OwnImports() []string {
	return v.importSpecs(v.isInProject)
}

// APIImport is the import spec of the parent's package.
func (v operatorView) APIImport() string {
	return v.importSpecs(func(path string) bool { return path == v.API.ImportPath })[0]
}

func (v operatorView) isInProject(path string) bool { return strings.HasPrefix(path, v.Module+"/") }

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
func (v operatorView) Package() string {
	if v.Controller != nil {
		return v.Controller.Package
	}
	return PackageName(v.Parent.Name)
}

// ControllerName is the name of the controller.
func (v operatorView) ControllerName() string { return cmp.Or(v.Name, v.Package()) }

// A is the parent's kind with its article, such as an EchoServer.
func (v operatorView) A() string {
	if v.Several() {
		return "a parent"
	}
	return v.Parents()[0].A()
}

// ParentType is the Go type of parents: a pointer, or client.Object when they are of several kinds.
func (v operatorView) ParentType() string {
	if v.Several() {
		return "client.Object"
	}
	return v.Parents()[0].Type()
}

// StatusType is the Go type of the parent's status, struct{} when it has none.
func (v operatorView) StatusType() string {
	if v.Parent.Status == "" {
		return "struct{}"
	}
	return v.APIName() + "." + v.Parent.Status
}

// ClusterScoped reports whether the parent lies in no namespace.
func (v operatorView) ClusterScoped() bool {
	return slices.ContainsFunc(v.Parents(), func(p parentView) bool { return !p.Namespaced })
}

// Conditions is the field of the status that the runtime keeps its conditions in, empty when there
// is none.
func (v operatorView) Conditions() string {
	if a := v.Parent.Authored; a != nil {
		return a.Conditions
	}
	return v.statusField("conditions", func(t *gomodel.GoType) bool {
		return t.Shape == gomodel.List && t.Elem.Name == "Condition" && t.Elem.Package == "k8s.io/apimachinery/pkg/apis/meta/v1"
	})
}

// ObservedGeneration is the field of the status that the runtime keeps the parent's generation in.
func (v operatorView) ObservedGeneration() string {
	if a := v.Parent.Authored; a != nil {
		return a.ObservedGeneration
	}
	return v.statusField("observedGeneration", func(t *gomodel.GoType) bool {
		return t.Shape == gomodel.Name && t.Name == "int64"
	})
}

// statusField returns the Go name of a field of the status by its JSON key, if its type fits.
func (v operatorView) statusField(key string, fits func(*gomodel.GoType) bool) string {
	for _, f := range v.statusFields() {
		if name, _, _ := strings.Cut(f.Tag, ","); name == key && fits(f.Type) {
			return f.Name
		}
	}
	return ""
}

func (v operatorView) statusFields() []gomodel.Field {
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
