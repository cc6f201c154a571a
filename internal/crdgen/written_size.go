package crdgen

import (
	"fmt"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/opgen-dev/opgen/internal/spec"
)

// Oversized reports an API whose types, each written out wherever it is used, are more than an API
// server takes. It counts without building: types that use one another twice at each level have 2ⁿ
// fields after n levels.
func Oversized(api *spec.API) *spec.Problem {
	c := sizeCounter{types: map[*spec.NamedType]int{}, kube: map[string]int{}}
	total := 0
	for i := range api.Versions {
		for _, s := range []*spec.Schema{api.Versions[i].Root, api.Versions[i].Spec, api.Versions[i].Status} {
			total = capSize(total + c.schema(s))
		}
	}
	if total <= maxRequest {
		return nil
	}
	problem := &spec.Problem{
		Pos: api.Place("names.kind"), Path: "names.kind",
		Message: fmt.Sprintf("gives a CRD of more than %d KiB once the types are written out where they are used, and API servers take requests of at most that", maxRequest>>10),
		Hint:    "use types in fewer places, or leave parts open with x-kubernetes-preserve-unknown-fields",
	}
	if t := c.tooMuch; t != nil {
		problem.Pos, problem.Path = t.Pos, "types."+t.Name
	}
	return problem
}

// sizeCounter counts how many bytes schemas have at the least as JSON: what no word of a spec file
// can take away.
type sizeCounter struct {
	types   map[*spec.NamedType]int
	kube    map[string]int
	tooMuch *spec.NamedType // the innermost that is too large by itself
}

// schema counts a node and all below it, what it uses included.
func (c *sizeCounter) schema(s *spec.Schema) int {
	switch {
	case s == nil:
		return 0
	case s.Use != nil:
		return c.named(s.Use)
	case s.Type != "":
		return c.typeByName(s)
	}
	size := bareSize(&s.Keywords)
	if len(s.Properties) > 0 {
		size += len(`"properties":{},`)
	}
	for _, p := range s.Properties {
		size = capSize(size + memberSize(p.Name) + c.schema(p.Schema))
	}
	return capSize(size + c.schema(s.Items) + c.schema(s.AdditionalProperties))
}

// named counts a named type, once.
func (c *sizeCounter) named(t *spec.NamedType) int {
	known, found := c.types[t]
	if found {
		return known
	}
	size := c.schema(t.Schema)
	if size > maxRequest && c.tooMuch == nil {
		c.tooMuch = t
	}
	c.types[t] = size
	return size
}

// typeByName counts a Go type, or a type of Kubernetes, once. A type that is not known has its
// problem elsewhere.
func (c *sizeCounter) typeByName(s *spec.Schema) int {
	known, found := c.kube[s.Type]
	if found {
		return known
	}
	b := schemaBuilder{}
	size := 0
	if t, problem := b.typeByName(s, ""); problem == nil {
		size = builtSize(&t.Schema)
	}
	c.kube[s.Type] = size
	return size
}

// builtSize counts a schema that exists already.
func builtSize(s *apiextv1.JSONSchemaProps) int {
	size := bareSize(s)
	if len(s.Properties) > 0 {
		size += len(`"properties":{},`)
	}
	for name, property := range s.Properties {
		size = capSize(size + memberSize(name) + builtSize(&property))
	}
	if s.Items != nil && s.Items.Schema != nil {
		size += builtSize(s.Items.Schema)
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
		size += builtSize(s.AdditionalProperties.Schema)
	}
	return capSize(size)
}

// bareSize counts the braces of a node, and its type.
func bareSize(s *apiextv1.JSONSchemaProps) int {
	if s.Type == "" {
		return len(`{}`)
	}
	return len(`{"type":""}`) + len(s.Type)
}

// memberSize counts the name of a field with what stands around it.
func memberSize(name string) int { return len(`"":,`) + len(name) }

// capSize keeps a count from running over.
func capSize(size int) int { return min(size, maxRequest+1) }
