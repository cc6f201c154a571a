package crdgen

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/opgen-dev/opgen/internal/kubetypes"
	"github.com/opgen-dev/opgen/internal/spec"
)

// TypeOf returns the Kubernetes or Go type that a node refers to. The schema of a Kubernetes type
// has only its own keywords, not those of its fields. TypeOf returns false if the node refers to no
// type.
func TypeOf(s *spec.Schema) (kubetypes.Type, bool) {
	if s.Go != nil {
		return typeFromSource(s.Go), true
	}
	return kubetypes.Outline(s.Type)
}

func typeFromSource(t *spec.GoType) kubetypes.Type {
	return kubetypes.Type{
		GoPackage: t.Package, GoName: t.Name, Schema: t.Schema,
		Form: kubetypes.Form(t.Form), Copy: kubetypes.Copy(t.Copy), Elem: kubetypes.Copy(t.Elem),
	}
}

// typeSchemas are the schemas of the Kubernetes and Go types that nodes refer to, by node. Nodes
// share them, so they must not be changed.
type typeSchemas map[*spec.Schema]apiextv1.JSONSchemaProps

// resolveTypes finds the types that the nodes of versions refer to. A node with an unknown type
// gets a schema that allows anything, and a problem.
func resolveTypes(metadata spec.EmbeddedMetadata, versions ...spec.Version) (typeSchemas, spec.Problems) {
	r := resolver{
		types:   typeSchemas{},
		visited: map[*spec.NamedType]bool{},
		kube:    kubetypes.Reader{Metadata: kubetypes.Metadata(metadata)},
	}
	for _, v := range versions {
		r.resolve(v.Root, "schema")
		r.resolve(v.Spec, "spec")
		r.resolve(v.Status, "status")
	}
	return r.types, r.problems
}

type resolver struct {
	types    typeSchemas
	visited  map[*spec.NamedType]bool
	kube     kubetypes.Reader
	problems spec.Problems
}

// resolve finds the types of a node and of all nodes below it. path is for problems.
func (r *resolver) resolve(s *spec.Schema, path string) {
	switch {
	case s == nil:
		return
	case s.Use != nil:
		if !r.visited[s.Use] {
			r.visited[s.Use] = true
			r.resolve(s.Use.Schema, "types."+s.Use.Name)
		}
		return
	case s.Type != "":
		r.types[s] = r.schemaOfType(s, path)
		return
	}
	for _, p := range s.Properties {
		r.resolve(p.Schema, path+"."+p.Name)
	}
	r.resolve(s.Items, path+".items")
	r.resolve(s.AdditionalProperties, path+".additionalProperties")
}

// schemaOfType returns the schema of the type that a node refers to.
func (r *resolver) schemaOfType(s *spec.Schema, path string) apiextv1.JSONSchemaProps {
	if s.Type == spec.TypeDuration {
		r.checkDurationDefault(s, path)
	}
	if s.Go != nil {
		schema := s.Go.Schema.DeepCopy()
		kubetypes.RequireKeys(schema)
		return kubetypes.WithMetadata(*schema, r.kube.Metadata)
	}
	if t, found := r.kube.Type(s.Type); found {
		return t.Schema
	}
	problem := spec.Problem{Pos: keywordPosition(s, "type"), Path: path, Message: fmt.Sprintf("unknown type %q", s.Type)}
	if importPath, name, isGo := spec.SplitGoType(s.Type); isGo {
		problem.Message = name + " is a type of the Go package " + importPath + ", which opgen can only load inside of a Go module"
		problem.Hint = "run opgen in a project, or in a folder whose go.mod requires the package"
	} else if close := kubetypes.SuggestType(s.Type); close != "" {
		problem.Hint = fmt.Sprintf("did you mean %q?", close)
	}
	r.problems = append(r.problems, problem)
	return apiextv1.JSONSchemaProps{XPreserveUnknownFields: new(true)}
}

// checkDurationDefault adds a problem for a default that no operator could decode. The API server
// does not check the format of durations.
func (r *resolver) checkDurationDefault(s *spec.Schema, path string) {
	var text string
	if s.Keywords.Default == nil || json.Unmarshal(s.Keywords.Default.Raw, &text) != nil {
		return
	}
	if _, err := time.ParseDuration(text); err != nil {
		r.problems = append(r.problems, spec.Problem{
			Pos: keywordPosition(s, "default"), Path: path + ".default",
			Message: fmt.Sprintf("%q is not a duration", text), Hint: "such as 30s or 1h30m",
		})
	}
}

// unreadGoTypes returns a problem for each version with goTypes: true whose Go types have not been
// loaded.
func unreadGoTypes(api *spec.API) spec.Problems {
	var problems spec.Problems
	for i, v := range api.Versions {
		if v.GoTypes && v.Authored == nil {
			path := fmt.Sprintf("versions[%d].goTypes", i)
			problems = append(problems, spec.Problem{
				Pos: closestPosition(api.At, path, v.Pos), Path: path,
				Message: "the schema is in the Go types of a project, but there is no project here",
				Hint:    "run opgen in the folder of opgen.yaml",
			})
		}
	}
	return problems
}

// NeedsGoSource reports whether an API needs Go source that has not been loaded yet.
func NeedsGoSource(api *spec.API) bool {
	unread := func(use spec.GoTypeUse) bool { return use.Schema.Go == nil }
	return slices.ContainsFunc(api.GoTypes(), unread) || len(unreadGoTypes(api)) > 0
}
