package kinds

import (
	"fmt"
	"slices"
	"strings"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/opgen-dev/opgen/internal/gomodel"
	"github.com/opgen-dev/opgen/internal/kubetypes"
	"github.com/opgen-dev/opgen/internal/spec"
)

// Resolver completes kinds from the project and from Kubernetes.
type Resolver struct {
	Project *spec.Project
	APIs    []*spec.Summary // of the project
	// CRD returns the CRD of an API, and nil for one with errors. It is called if somebody asks for
	// a schema.
	CRD func(api *spec.Summary) *apiextv1.CustomResourceDefinition
}

// Resolve completes a kind from the first of these that knows it: the project, Kubernetes, the
// entry in the spec file. It returns a problem without a position if none does.
func (r Resolver) Resolve(declared spec.Resource) (Resource, *spec.Problem) {
	c := Resource{
		Field: declared.As, APIVersion: declared.APIVersion, Kind: declared.Kind,
		Plural: declared.Plural, Namespaced: declared.Scope != spec.Cluster,
	}
	if group, _, grouped := strings.Cut(declared.APIVersion, "/"); grouped {
		c.Group = group
	}
	c.Foreign = !r.completeFromProject(&c) && !completeFromKubernetes(&c)
	if c.Foreign && declared.Plural == "" {
		return c, r.unknownKind(declared, c.Group)
	}
	if dot := strings.LastIndex(declared.GoType, "."); dot > 0 {
		c.GoPackage, c.GoName, c.Registered = declared.GoType[:dot], declared.GoType[dot+1:], false
	}
	return c, nil
}

// completeFromProject completes a kind that is an API of the project. It reports false for other
// kinds.
func (r Resolver) completeFromProject(c *Resource) bool {
	for _, api := range r.APIs {
		for _, v := range api.Versions {
			if api.Names.Kind == c.Kind && api.Group+"/"+v.Name == c.APIVersion {
				c.Plural, c.Namespaced = api.Names.Plural, api.Scope == spec.Namespaced
				c.GoPackage, c.GoName = gomodel.ImportPath(r.Project, api.Group, v.Name), api.Names.GoKind
				c.schema = func() *apiextv1.JSONSchemaProps { return schemaOf(r.CRD(api), v.Name) }
				return true
			}
		}
	}
	return false
}

// schemaOf returns the schema of a version of a CRD, and nil if there is none.
func schemaOf(crd *apiextv1.CustomResourceDefinition, version string) *apiextv1.JSONSchemaProps {
	if crd == nil {
		return nil
	}
	for _, v := range crd.Spec.Versions {
		if v.Name == version {
			return v.Schema.OpenAPIV3Schema
		}
	}
	return nil
}

// completeFromKubernetes completes a kind of Kubernetes. It reports false for other kinds.
func completeFromKubernetes(c *Resource) bool {
	kind, ok := kubetypes.Lookup(c.APIVersion, c.Kind)
	if !ok {
		return false
	}
	c.Plural, c.Namespaced = kind.Plural, kind.Namespaced
	c.GoPackage, c.GoName = kind.GoPackage, kind.GoName
	c.Registered = strings.HasPrefix(kind.GoPackage, "k8s.io/api/")
	return true
}

// ForeignKindHint says what a spec file needs to name a kind that opgen does not know.
const ForeignKindHint = "for a kind of someone else's, give plural: and scope:"

// unknownKind returns the problem of a kind that is neither of the project nor of Kubernetes. A kind of a
// group of the project may be one that is yet to be created.
func (r Resolver) unknownKind(declared spec.Resource, group string) *spec.Problem {
	problem := &spec.Problem{
		Message: fmt.Sprintf("Kubernetes has no kind %q in %s", declared.Kind, declared.APIVersion),
		Hint:    ForeignKindHint,
	}
	if slices.ContainsFunc(r.APIs, func(api *spec.Summary) bool { return api.Group == group }) {
		problem.Message = fmt.Sprintf("the project has no kind %q in %s", declared.Kind, declared.APIVersion)
		problem.Hint = "create kinds that name each other at once: opgen create api -f FILE -f FILE"
		return problem
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
