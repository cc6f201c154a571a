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
	group, plural     string
	namespaced        bool
	goPackage, goName string // both empty for an unstructured child
	registered        bool   // client-go's scheme knows the Go type
	foreign           bool   // neither Kubernetes nor the project defines the kind
}

// resolver completes the children of APIs by what Kubernetes and the project itself have of kinds.
type resolver struct{ packages []crdgen.Package }

// children completes the children of an API.
func (r resolver) children(api *spec.API) ([]child, spec.Problems) {
	var (
		children []child
		problems spec.Problems
	)
	for i, declared := range api.Operator.Children {
		c, problem := r.child(declared)
		if problem == nil {
			problem = c.ownedBy(api)
		}
		if problem != nil {
			problem.Path = fmt.Sprintf("operator.children[%d].kind", i)
			problem.Pos = declared.Pos
			if at, ok := api.At[problem.Path]; ok {
				problem.Pos = at
			}
			problems = append(problems, *problem)
			continue
		}
		children = append(children, c)
	}
	return children, problems
}

// child completes one kind of children: from the project, from Kubernetes, or from what the file says of it.
func (r resolver) child(declared spec.Child) (child, *spec.Problem) {
	c := child{Child: declared, plural: declared.Plural, namespaced: declared.Scope != spec.Cluster}
	if group, _, grouped := strings.Cut(declared.APIVersion, "/"); grouped {
		c.group = group
	}
	c.foreign = !r.inProject(&c) && !inKubernetes(&c)
	if c.foreign && declared.Plural == "" {
		return c, unknownKind(declared)
	}
	if dot := strings.LastIndex(declared.GoType, "."); dot > 0 {
		c.goPackage, c.goName, c.registered = declared.GoType[:dot], declared.GoType[dot+1:], false
	}
	return c, nil
}

// inProject completes a child whose kind is an API of the project.
func (r resolver) inProject(c *child) bool {
	for _, pkg := range r.packages {
		for _, kind := range pkg.Kinds {
			if kind.API.Names.Kind == c.Kind && pkg.Group+"/"+pkg.Version == c.APIVersion {
				c.plural, c.namespaced = kind.API.Names.Plural, kind.API.Scope == spec.Namespaced
				c.goPackage, c.goName = pkg.ImportPath, kind.Name
				return true
			}
		}
	}
	return false
}

// inKubernetes completes a child whose kind Kubernetes has.
func inKubernetes(c *child) bool {
	kind, ok := kubetypes.Lookup(c.APIVersion, c.Kind)
	if !ok {
		return false
	}
	c.plural, c.namespaced = kind.Plural, kind.Namespaced
	c.goPackage, c.goName = kind.GoPackage, kind.GoName
	c.registered = strings.HasPrefix(kind.GoPackage, "k8s.io/api/")
	return true
}

func unknownKind(declared spec.Child) *spec.Problem {
	problem := &spec.Problem{
		Message: fmt.Sprintf("Kubernetes has no kind %q in %s", declared.Kind, declared.APIVersion),
		Hint:    "for a kind of someone else's, give plural: and scope:",
	}
	switch similar := kubetypes.SuggestKind(declared.Kind); similar {
	case "":
	case declared.Kind:
		problem.Hint = "is its apiVersion another one? " + problem.Hint
	default:
		problem.Hint = fmt.Sprintf("did you mean %q? %s", similar, problem.Hint)
	}
	return problem
}

// ownedBy checks that an object of the API can own the child: what lies in a namespace owns nothing outside of it.
func (c child) ownedBy(api *spec.API) *spec.Problem {
	if api.Scope == spec.Cluster || c.namespaced {
		return nil
	}
	return &spec.Problem{
		Message: fmt.Sprintf("%s lies in no namespace, so %s, which lies in one, cannot own it", c.Kind, api.Names.Kind),
		Hint:    "make the parent cluster-scoped (scope: Cluster), or leave the child out",
	}
}

// view is the child as its Go code is rendered from it.
func (c child) view() templates.Child {
	return templates.Child{
		Field: c.As, APIVersion: c.APIVersion, Kind: c.Kind,
		GoPackage: c.goPackage, GoName: c.goName, Registered: c.registered, Namespaced: c.namespaced, Foreign: c.foreign,
		Update: c.Update, Retired: c.Retired,
	}
}
