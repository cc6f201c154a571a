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
	"github.com/opgen-dev/opgen/internal/spec"
)

// Operator is what the package of one controller is rendered from.
type Operator struct {
	Project string          // its name
	Module  string          // of the project
	API     gomodel.Package // of the parent's storage version
	Alias   string          // by which files import that package, such as demov1alpha1
	Parent  gomodel.Kind
	// Name is the controller's name in its field manager, metrics and Events. If it is empty, the
	// name of the package is used.
	Name     string
	Children []kinds.Child
	Related  []kinds.Related
	Finalize bool
	Ordered  bool          // children are deleted in the order that Finalize gives
	Retries  int           // 0: no limit
	Timeout  time.Duration // 0: the default of the runtime
	// ForbidPause and ForbidDisconnect make the operator ignore the annotations with which users
	// pause or disconnect a parent.
	ForbidPause, ForbidDisconnect bool
	Workers                       int // 0: as the command line says
	Metrics                       []spec.Metric
	TakeOverFrom                  []string // field managers
	// SamplePath is the file of the parent's sample, relative to the project.
	SamplePath string
	// Controller is set for existing kinds. API, Alias, Parent and SamplePath are empty then.
	Controller *Controller
}

// OperatorFile renders internal/<kind>/zz_generated.operator.go.
func OperatorFile(o Operator) ([]byte, error) {
	return renderGo("operator/operator.go", newOperatorView(o))
}

// SyncFile renders internal/<kind>/sync.go, a start for its author.
func SyncFile(o Operator) ([]byte, error) {
	if o.Controller != nil {
		return renderGo("operator/controller_sync.go", newOperatorView(o))
	}
	return renderGo("operator/sync.go", newOperatorView(o))
}

// SyncTestFile renders internal/<kind>/sync_test.go, a start for its author.
func SyncTestFile(o Operator) ([]byte, error) {
	if o.Controller != nil {
		return renderGo("operator/controller_sync_test.go", newOperatorView(o))
	}
	return renderGo("operator/sync_test.go", newOperatorView(o))
}

// operatorView is an Operator with the names that one file imports packages by.
type operatorView struct {
	Operator
	imports *importSet
}

func newOperatorView(o Operator) operatorView {
	v := operatorView{o, newImportSet("context", "time", "cel", "operator", "runtime", "metav1", "unstructured", "errors", "os", "testing", "meta", "yaml", "operatortest", "client", "fmt")}
	if o.Controller == nil {
		v.imports.add(o.API.ImportPath, o.Alias)
	}
	for _, r := range o.resources() {
		if r.GoPackage != "" {
			v.imports.add(r.GoPackage, importAlias(r.GoPackage))
		}
	}
	return v
}

// resources returns the kinds of parents, children and related objects.
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

// Imports returns the import specs of the API packages that the file uses and that are not the
// project's.
func (v operatorView) Imports() []string {
	return v.importSpecs(func(path string) bool { return !v.isInProject(path) })
}

// OwnImports returns the import specs of the project's API packages.
func (v operatorView) OwnImports() []string {
	return v.importSpecs(v.isInProject)
}

// APIImport returns the import spec of the parent's package.
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

// APIName returns the name that the parent's package is imported by.
func (v operatorView) APIName() string { return v.imports.names[v.API.ImportPath] }

// Package returns the name of the Go package.
func (v operatorView) Package() string {
	if v.Controller != nil {
		return v.Controller.Package
	}
	return PackageName(v.Parent.Name)
}

// ControllerName returns the name of the controller.
func (v operatorView) ControllerName() string { return cmp.Or(v.Name, v.Package()) }

// A returns the parent's kind with its article, such as "an EchoServer".
func (v operatorView) A() string {
	if v.Several() {
		return "a parent"
	}
	return v.Parents()[0].A()
}

// ParentType returns the Go type of parents: a pointer, or client.Object if there are several
// kinds.
func (v operatorView) ParentType() string {
	if v.Several() {
		return "client.Object"
	}
	return v.Parents()[0].Type()
}

// StatusType returns the Go type of the parent's status, and struct{} if it has none.
func (v operatorView) StatusType() string {
	if v.Parent.Status == "" {
		return "struct{}"
	}
	return v.APIName() + "." + v.Parent.Status
}

// ClusterScoped reports whether parents are cluster-scoped.
func (v operatorView) ClusterScoped() bool {
	return slices.ContainsFunc(v.Parents(), func(p parentView) bool { return !p.Namespaced })
}

// Conditions returns the field of the status in which the runtime stores its conditions, and "" if
// there is none.
func (v operatorView) Conditions() string {
	if a := v.Parent.Authored; a != nil {
		return a.Conditions
	}
	return v.statusField("conditions", func(t *gomodel.GoType) bool {
		return t.Shape == gomodel.List && t.Elem.Name == "Condition" && t.Elem.Package == "k8s.io/apimachinery/pkg/apis/meta/v1"
	})
}

// ObservedGeneration returns the field of the status in which the runtime stores the parent's
// generation, and "" if there is none.
func (v operatorView) ObservedGeneration() string {
	if a := v.Parent.Authored; a != nil {
		return a.ObservedGeneration
	}
	return v.statusField("observedGeneration", func(t *gomodel.GoType) bool {
		return t.Shape == gomodel.Name && t.Name == "int64"
	})
}

// statusField returns the Go name of the field of the status with a JSON key, if the type fits.
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

// StatusFields returns the fields of the status that Sync sets. The runtime sets the others.
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
