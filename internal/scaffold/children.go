package scaffold

import (
	"fmt"
	"strings"

	"github.com/opgen-dev/opgen/internal/crdgen"
	"github.com/opgen-dev/opgen/internal/kubetypes"
	"github.com/opgen-dev/opgen/internal/spec"
	"github.com/opgen-dev/opgen/internal/templates"
)

// child is a kind of children with everything that a spec file may leave out.
type child struct {
	spec.Child
	group, plural string
	namespaced    bool
	view          templates.Child
}

// resolver completes the children of APIs from what Kubernetes and the project itself have of kinds.
type resolver struct {
	packages []crdgen.Package
}

// children completes the children of an API. Two of them that would share a field are a problem.
func (r resolver) children(api *spec.API) ([]child, spec.Problems) {
	var (
		children []child
		problems spec.Problems
	)
	fields := map[string]bool{}
	for i, declared := range api.Operator.Children {
		c, problem := r.child(api, declared)
		if problem == nil && fields[c.view.Field] {
			problem = &spec.Problem{
				Path:    "kind",
				Message: fmt.Sprintf("another kind of children has the field %s, too", c.view.Field),
				Hint:    "name one of them with as:",
			}
		}
		if problem != nil {
			problem.Path = fmt.Sprintf("operator.children[%d].%s", i, problem.Path)
			problem.Pos = declared.Pos
			if at, ok := api.At[problem.Path]; ok {
				problem.Pos = at
			}
			problems = append(problems, *problem)
			continue
		}
		fields[c.view.Field] = true
		children = append(children, c)
	}
	return children, problems
}

func (r resolver) child(api *spec.API, declared spec.Child) (child, *spec.Problem) {
	c := child{Child: declared, plural: declared.Plural, namespaced: declared.Scope != spec.Cluster}
	c.group, _, _ = strings.Cut(declared.APIVersion, "/")
	if !strings.Contains(declared.APIVersion, "/") {
		c.group = ""
	}
	c.view = templates.Child{
		APIVersion: declared.APIVersion, Kind: declared.Kind, Update: declared.Update, Retired: declared.Retired,
	}
	known := r.complete(&c)
	if !known && declared.Plural == "" {
		return child{}, unknownKind(declared)
	}
	if at := strings.LastIndex(declared.GoType, "."); at > 0 {
		c.view.GoPackage, c.view.GoName, c.view.Registered = declared.GoType[:at], declared.GoType[at+1:], false
	}
	c.view.Field = declared.As
	if c.view.Field == "" {
		c.view.Field = templates.FieldName(declared.Kind, c.plural)
	}
	return c, r.reach(api, c)
}

// complete fills in what is known of the child's kind; false when that is nothing.
func (r resolver) complete(c *child) bool {
	for _, pkg := range r.packages {
		for _, kind := range pkg.Kinds {
			if kind.Name == c.Kind && pkg.Group+"/"+pkg.Version == c.APIVersion {
				c.plural, c.namespaced = kind.API.Names.Plural, kind.API.Scope == spec.Namespaced
				c.view.GoPackage, c.view.GoName = pkg.ImportPath, kind.Name
				return true
			}
		}
	}
	kind, ok := kubetypes.Lookup(c.APIVersion, c.Kind)
	if !ok {
		return false
	}
	c.plural, c.namespaced = kind.Plural, kind.Namespaced
	c.view.GoPackage, c.view.GoName = kind.GoPackage, kind.GoName
	c.view.Registered = strings.HasPrefix(kind.GoPackage, "k8s.io/api/")
	return true
}

func unknownKind(declared spec.Child) *spec.Problem {
	problem := &spec.Problem{
		Path:    "kind",
		Message: fmt.Sprintf("unknown kind %q of %s", declared.Kind, declared.APIVersion),
		Hint:    "for a kind of your own, give plural: and scope:",
	}
	if similar := kubetypes.SuggestKind(declared.Kind); similar != "" && similar != declared.Kind {
		problem.Hint = fmt.Sprintf("did you mean %q? %s", similar, problem.Hint)
	}
	return problem
}

// reach checks that the operator, with the role it gets, can own the child: a namespaced parent cannot own a
// child that has no namespace.
func (r resolver) reach(api *spec.API, c child) *spec.Problem {
	if api.Scope == spec.Namespaced && !c.namespaced {
		return &spec.Problem{
			Path:    "kind",
			Message: fmt.Sprintf("%s has no namespace, and %s has one, so it cannot own it", c.Kind, api.Names.Kind),
			Hint:    "make the parent scope: Cluster",
		}
	}
	return nil
}
