package gotypes

import (
	"slices"
	"strings"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/controller-tools/pkg/crd"
)

// requireKeys makes the keys of list maps required in types of other modules that leave them
// optional without a default, such as the conditions in apps/v1.DeploymentStatus. The API server
// refuses a CRD with such a list, and the author cannot change these types. Types of the author's
// module are not changed, so that the error is reported.
func (p *program) requireKeys() {
	module := p.source.modulePath()
	for ident, schema := range p.parser.Schemata {
		if path := ident.Package.PkgPath; path == module || strings.HasPrefix(path, module+"/") {
			continue
		}
		p.requireKeysOf(ident, schema)
		for _, property := range schema.Properties {
			p.requireKeysOf(ident, property)
		}
	}
}

// requireKeysOf makes the keys of one list map required in the type of its items. The list is in
// the type ident.
func (p *program) requireKeysOf(ident crd.TypeIdent, list apiextv1.JSONSchemaProps) {
	if list.XListType == nil || *list.XListType != "map" || list.Items == nil || list.Items.Schema == nil || list.Items.Schema.Ref == nil {
		return
	}
	name, path, err := crd.RefParts(*list.Items.Schema.Ref)
	if err != nil {
		return
	}
	item := crd.TypeIdent{Package: ident.Package, Name: name}
	if path != "" {
		item.Package = ident.Package.Imports()[path]
	}
	schema, found := p.parser.Schemata[item]
	if !found {
		return
	}
	for _, key := range list.XListMapKeys {
		property, has := schema.Properties[key]
		if has && property.Default == nil && !slices.Contains(schema.Required, key) {
			schema.Required = append(slices.Clone(schema.Required), key)
		}
	}
	slices.Sort(schema.Required)
	p.parser.Schemata[item] = schema
}
