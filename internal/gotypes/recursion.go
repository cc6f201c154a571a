package gotypes

import (
	"slices"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/controller-tools/pkg/crd"

	"github.com/opgen-dev/opgen/internal/spec"
)

// findRecursion returns the types that lead from a type to one that contains itself, the latter twice;
// nil if there is none. It follows the references between schemas, which a marker such as Schemaless
// ends.
func (p *program) findRecursion(from crd.TypeIdent) []crd.TypeIdent {
	return p.followReferences(from, nil, map[crd.TypeIdent]bool{})
}

func (p *program) followReferences(ident crd.TypeIdent, path []crd.TypeIdent, done map[crd.TypeIdent]bool) []crd.TypeIdent {
	again := slices.Contains(path, ident)
	path = append(slices.Clone(path), ident)
	if again {
		return path
	}
	if done[ident] {
		return nil
	}
	done[ident] = true
	schema := p.parser.Schemata[ident]
	for _, reference := range references(&schema, nil) {
		if next, found := p.referred(ident.Package, reference); found {
			if recursive := p.followReferences(next, path, done); recursive != nil {
				return recursive
			}
		}
	}
	return nil
}

// references appends the schemas at and below one that refer to a type.
func references(schema *apiextv1.JSONSchemaProps, all []*apiextv1.JSONSchemaProps) []*apiextv1.JSONSchemaProps {
	if schema.Ref != nil {
		all = append(all, schema)
	}
	for i := range schema.AllOf {
		all = references(&schema.AllOf[i], all)
	}
	for _, below := range spec.SchemasBelow(schema, nil) {
		all = references(below, all)
	}
	return all
}
