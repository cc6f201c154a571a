package scaffold

import (
	"fmt"
	"strings"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/opgen-dev/opgen/internal/gomodel"
	"github.com/opgen-dev/opgen/internal/kubetypes"
	"github.com/opgen-dev/opgen/internal/spec"
	"github.com/opgen-dev/opgen/internal/templates"
)

// resource is a kind of objects with everything that a spec file may leave out.
type resource struct {
	spec.Resource
	group, plural     string
	namespaced        bool
	goPackage, goName string // both empty for unstructured objects
	registered        bool   // client-go's scheme knows the Go type
	foreign           bool   // neither Kubernetes nor the project defines the kind
	// schema is that of a whole object, nil where it is not known.
	schema *apiextv1.JSONSchemaProps
}

// resolver completes kinds of objects by what Kubernetes and the project itself have of them.
type resolver struct {
	packages []gomodel.Package
	crds     []*apiextv1.CustomResourceDefinition // of the project; nil for what has mistakes
}

// resource completes one kind: from the project, from Kubernetes, or from what the file says of it.
func (r resolver) resource(declared spec.Resource) (resource, *spec.Problem) {
	c := resource{Resource: declared, plural: declared.Plural, namespaced: declared.Scope != spec.Cluster}
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

// inProject completes a kind that is an API of the project.
func (r resolver) inProject(c *resource) bool {
	for _, pkg := range r.packages {
		for _, kind := range pkg.Kinds {
			if kind.API.Names.Kind == c.Kind && pkg.Group+"/"+pkg.Version == c.APIVersion {
				c.plural, c.namespaced = kind.API.Names.Plural, kind.API.Scope == spec.Namespaced
				c.goPackage, c.goName = pkg.ImportPath, kind.Name
				c.schema = r.schema(kind.API.Names.Plural+"."+pkg.Group, pkg.Version)
				return true
			}
		}
	}
	return false
}

// schema returns that of a version of one of the project's CRDs.
func (r resolver) schema(crd, version string) *apiextv1.JSONSchemaProps {
	for _, c := range r.crds {
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

// inKubernetes completes a kind that Kubernetes has.
func inKubernetes(c *resource) bool {
	kind, ok := kubetypes.Lookup(c.APIVersion, c.Kind)
	if !ok {
		return false
	}
	c.plural, c.namespaced = kind.Plural, kind.Namespaced
	c.goPackage, c.goName = kind.GoPackage, kind.GoName
	c.registered = strings.HasPrefix(kind.GoPackage, "k8s.io/api/")
	return true
}

// wholeSchema is the schema of the kind, read from the bundle of Kubernetes' types where it is one of those.
func (c resource) wholeSchema() *apiextv1.JSONSchemaProps {
	if c.schema != nil || c.foreign {
		return c.schema
	}
	kind, ok := kubetypes.Lookup(c.APIVersion, c.Kind)
	if !ok {
		return nil
	}
	known, ok := kubetypes.TypeByName(kubetypes.NameOf(kind.GoPackage, kind.GoName))
	if !ok {
		return nil
	}
	return new(kubetypes.WithBareMetadata(known.Schema)) // an object of the kind has all fields of metadata, wherever
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

// view is the kind as its Go code is rendered from it.
func (c resource) view() templates.Resource {
	return templates.Resource{
		Field: c.As, APIVersion: c.APIVersion, Kind: c.Kind,
		GoPackage: c.goPackage, GoName: c.goName, Registered: c.registered, Namespaced: c.namespaced, Foreign: c.foreign,
	}
}
