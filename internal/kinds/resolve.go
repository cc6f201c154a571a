package kinds

import (
	"fmt"
	"strings"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/opgen-dev/opgen/internal/gomodel"
	"github.com/opgen-dev/opgen/internal/kubetypes"
	"github.com/opgen-dev/opgen/internal/spec"
)

// Resolver completes kinds from the project and from Kubernetes.
type Resolver struct {
	Packages []gomodel.Package
	CRDs     []*apiextv1.CustomResourceDefinition // of the project; nil for an API with errors
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
		return c, unknownKind(declared)
	}
	if dot := strings.LastIndex(declared.GoType, "."); dot > 0 {
		c.GoPackage, c.GoName, c.Registered = declared.GoType[:dot], declared.GoType[dot+1:], false
	}
	return c, nil
}

// completeFromProject completes a kind that is an API of the project. It reports false for other
// kinds.
func (r Resolver) completeFromProject(c *Resource) bool {
	for _, pkg := range r.Packages {
		for _, kind := range pkg.Kinds {
			if kind.API.Names.Kind == c.Kind && pkg.Group+"/"+pkg.Version == c.APIVersion {
				c.Plural, c.Namespaced = kind.API.Names.Plural, kind.API.Scope == spec.Namespaced
				c.GoPackage, c.GoName = pkg.ImportPath, kind.Name
				c.schema = r.schemaOf(kind.API.Names.Plural+"."+pkg.Group, pkg.Version)
				return true
			}
		}
	}
	return false
}

// schemaOf returns the schema of a version of a CRD of the project.
func (r Resolver) schemaOf(crd, version string) *apiextv1.JSONSchemaProps {
	for _, c := range r.CRDs {
		if c == nil || c.Name != crd {
			continue
		}
		for _, v := range c.Spec.Versions {
			if v.Name == version {
				return v.Schema.OpenAPIV3Schema
			}
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

func unknownKind(declared spec.Resource) *spec.Problem {
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
