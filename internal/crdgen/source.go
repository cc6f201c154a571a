package crdgen

import (
	"fmt"
	"slices"

	"github.com/opgen-dev/opgen/internal/kubetypes"
	"github.com/opgen-dev/opgen/internal/spec"
)

// TypeOf returns the type that a node names: one of Kubernetes, with the outermost keywords of its
// schema alone, or one whose Go source has been read. It reports false for a node that names none.
func TypeOf(s *spec.Schema) (kubetypes.Type, bool) {
	if s.Go != nil {
		return fromSource(s.Go), true
	}
	return kubetypes.Outline(s.Type)
}

func fromSource(t *spec.GoType) kubetypes.Type {
	return kubetypes.Type{
		GoPackage: t.Package, GoName: t.Name, Schema: t.Schema,
		Form: kubetypes.Form(t.Form), Copy: kubetypes.Copy(t.Copy), Elem: kubetypes.Copy(t.Elem),
	}
}

// typeByName returns the type that a node names with its whole schema, or the problem that there is
// none. Its schema is shared: it must not be changed.
func (b *schemaBuilder) typeByName(s *spec.Schema, path string) (kubetypes.Type, *spec.Problem) {
	if s.Go != nil {
		t := fromSource(s.Go)
		t.Schema = *t.Schema.DeepCopy()
		kubetypes.RequireKeys(&t.Schema)
		t.Schema = kubetypes.WithMetadata(t.Schema, b.kube.Metadata)
		return t, nil
	}
	problem := &spec.Problem{Pos: keywordPosition(s, "type"), Path: path}
	if importPath, name, isGo := spec.SplitGoType(s.Type); isGo {
		problem.Message = name + " is a type of the Go package " + importPath + ", and there is no Go module here to read it in"
		problem.Hint = "run it in a project, or in any folder whose go.mod has the package"
		return kubetypes.Type{}, problem
	}
	if t, found := b.kube.Type(s.Type); found {
		return t, nil
	}
	problem.Message = fmt.Sprintf("unknown type %q", s.Type)
	if close := kubetypes.SuggestType(s.Type); close != "" {
		problem.Hint = fmt.Sprintf("did you mean %q?", close)
	}
	return kubetypes.Type{}, problem
}

// unreadGoTypes reports versions whose Go types have not been read.
func unreadGoTypes(api *spec.API) spec.Problems {
	var problems spec.Problems
	for i, v := range api.Versions {
		if v.GoTypes && v.Authored == nil {
			path := fmt.Sprintf("versions[%d].goTypes", i)
			problems = append(problems, spec.Problem{
				Pos: closestPosition(api.At, path, v.Pos), Path: path,
				Message: "the schema is in the Go types of a project, and this is none",
				Hint:    "run it in the folder of opgen.yaml",
			})
		}
	}
	return problems
}

// ReadsGo reports whether APIs take something from Go source that has not been read yet.
func ReadsGo(apis []*spec.API) bool { return slices.ContainsFunc(apis, readsGo) }

// readsGo reports whether an API takes something from Go source that has not been read yet.
func readsGo(api *spec.API) bool {
	unread := func(use spec.GoTypeUse) bool { return use.Schema.Go == nil }
	return slices.ContainsFunc(api.GoTypes(), unread) || len(unreadGoTypes(api)) > 0
}
