package gotypes

import (
	"go/ast"
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
		if next, found := p.findReferred(ident.Package, reference); found {
			if recursive := p.followReferences(next, path, done); recursive != nil {
				return recursive
			}
		}
	}
	return nil
}

// fieldOn returns the field of the author's module that is the last one on a path between types, and
// the declaration of the kind if there is none.
func (p *program) fieldOn(path []crd.TypeIdent, kind ast.Node) ast.Node {
	found := kind
	for i, ident := range path[:len(path)-1] {
		info := p.parser.Types[ident]
		if info == nil || !p.inModule(ident.Package) {
			continue
		}
		schema := p.parser.Schemata[ident]
		for _, field := range info.Fields {
			property := schema.Properties[jsonName(field.Tag.Get("json"))]
			for _, reference := range references(&property, nil) {
				if next, _ := p.findReferred(ident.Package, reference); next == path[i+1] {
					found = field.RawField
				}
			}
		}
	}
	return found
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
