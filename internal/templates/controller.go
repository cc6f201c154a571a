package templates

import (
	"slices"
	"strconv"
	"strings"

	"github.com/opgen-dev/opgen/internal/kinds"
	"github.com/opgen-dev/opgen/internal/spec"
)

// Controller is what the package of a controller for existing kinds is rendered from, in addition
// to an Operator.
type Controller struct {
	Name    string // such as service-per-pod
	Package string // the name without its dashes
	Group   string // prefix of the controller's labels and annotations
	Parents []kinds.Parent
	// ParentMetadata means that Sync may set labels and annotations of parents.
	ParentMetadata bool
}

// parentView is a kind of parents as templates print it.
type parentView struct {
	resourceView
	Spec spec.Parent
}

// Sample returns an expression for an object to test with.
func (p parentView) Sample() string {
	if p.GoPackage == "" {
		return p.Empty()
	}
	return "&" + strings.TrimPrefix(p.Type(), "*") + `{ObjectMeta: metav1.ObjectMeta{Name: "sample"}}`
}

// A returns the kind with its article, such as "a StatefulSet".
func (p parentView) A() string { return spec.WithArticle(p.Kind) }

// Selectors returns the fields of the parent's entry that select objects, each after a comma.
func (p parentView) Selectors() string {
	fields := ""
	if p.Spec.Labels != "" {
		fields += ", Labels: " + strconv.Quote(p.Spec.Labels)
	}
	if p.Spec.Annotations != "" {
		fields += ", Annotations: " + strconv.Quote(p.Spec.Annotations)
	}
	return fields
}

// Parents returns the kinds of parents.
func (v operatorView) Parents() []parentView {
	if v.Controller == nil {
		own := kinds.Resource{
			Kind: v.Parent.Name, GoPackage: v.API.ImportPath, GoName: v.Parent.Name, Namespaced: v.Parent.API.Scope != spec.Cluster,
		}
		return []parentView{{resourceView: v.viewOf(own)}}
	}
	var parents []parentView
	for _, p := range v.Controller.Parents {
		parents = append(parents, parentView{v.viewOf(p.Resource), p.Spec})
	}
	return parents
}

// Sample returns an expression for a parent to test with. There must be one kind of parents.
func (v operatorView) Sample() string { return v.Parents()[0].Sample() }

// EmptyParent returns an expression for an empty parent. There must be one kind of parents.
func (v operatorView) EmptyParent() string { return v.Parents()[0].Empty() }

// ParentField returns an expression for a metadata field of a request's parent. A typed parent has
// the field Name, an unstructured one the method GetName().
func (v operatorView) ParentField(name string) string {
	if v.Several() || v.HasUnstructuredParent() {
		return "req.Parent.Get" + name + "()"
	}
	return "req.Parent." + name
}

// Several reports whether there are parents of more than one kind. Sync then gets each as a
// client.Object.
func (v operatorView) Several() bool { return len(v.Parents()) > 1 }

// ParentKinds returns the kinds of parents as a phrase: "StatefulSet and Deployment".
func (v operatorView) ParentKinds() string {
	var kinds []string
	for _, p := range v.Parents() {
		kinds = append(kinds, p.Kind)
	}
	last := len(kinds) - 1
	if last == 0 {
		return kinds[0]
	}
	return strings.Join(kinds[:last], ", ") + " and " + kinds[last]
}

// GroupName returns the API group that prefixes the labels and annotations of the runtime.
func (v operatorView) GroupName() string {
	if v.Controller != nil {
		return v.Controller.Group
	}
	return v.API.Group
}

// ParentMetadata reports whether Sync may set labels and annotations of parents. It always may for
// kinds of the project; for existing kinds the spec file must allow it.
func (v operatorView) ParentMetadata() bool {
	return v.Controller == nil || v.Controller.ParentMetadata
}

// SpecFile returns the path of the spec file with the operator.
func (v operatorView) SpecFile() string {
	if v.Controller != nil {
		return "controllers/" + v.Controller.Name + ".yaml"
	}
	return "api/" + v.Package() + ".yaml"
}

// Selects reports whether a kind of parents has selectors. Generated comments then mention parents
// that are not selected any more.
func (v operatorView) Selects() bool {
	return slices.ContainsFunc(v.Parents(), func(p parentView) bool { return p.Selectors() != "" })
}

// UnstructuredRequest reports whether Sync gets parents without a Go type.
func (v operatorView) UnstructuredRequest() bool { return !v.Several() && v.HasUnstructuredParent() }

// ParentImports returns the import specs of the parents' packages: those of the project if own is
// set, or else the others.
func (v operatorView) ParentImports(own bool) []string {
	return v.importSpecs(func(path string) bool {
		return v.isInProject(path) == own && slices.ContainsFunc(v.Parents(), func(p parentView) bool { return p.GoPackage == path })
	})
}

// TypedParent reports whether a parent has a Go type.
func (v operatorView) TypedParent() bool {
	return slices.ContainsFunc(v.Parents(), func(p parentView) bool { return p.GoPackage != "" })
}

// OwnKinds reports whether a parent, a child or a related object is of a kind of the project. The
// operator needs the project's CRDs then.
func (v operatorView) OwnKinds() bool {
	return slices.ContainsFunc(v.resources(), func(r kinds.Resource) bool { return v.isInProject(r.GoPackage) })
}

// HasUnstructuredParent reports whether Go code uses a parent as *unstructured.Unstructured.
func (v operatorView) HasUnstructuredParent() bool {
	return slices.ContainsFunc(v.Parents(), func(p parentView) bool { return p.GoPackage == "" })
}

// parentCase is a case of the type switch over parents: a Go type and the kinds that have it.
type parentCase struct {
	parentView
	Kinds []string
}

// Cases returns the Go types of the parents, each once. All kinds without a Go type share one.
func (v operatorView) Cases() []parentCase {
	var cases []parentCase
	for _, p := range v.Parents() {
		at := slices.IndexFunc(cases, func(c parentCase) bool { return c.Type() == p.Type() })
		if at < 0 {
			at, cases = len(cases), append(cases, parentCase{parentView: p})
		}
		cases[at].Kinds = append(cases[at].Kinds, p.Kind)
	}
	return cases
}

// Comment returns a comment that says how to distinguish the kinds if several have the Go type.
func (c parentCase) Comment() string {
	if len(c.Kinds) == 1 {
		return ""
	}
	return " // " + strings.Join(c.Kinds, ", ") + ": parent.GetKind() says which"
}
