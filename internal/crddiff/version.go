package crddiff

import (
	"fmt"
	"slices"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// compareVersions compares the versions of two CRDs, whatever their order is.
func (c *comparer) compareVersions(ours, theirs *apiextv1.CustomResourceDefinition) {
	for i := range ours.Spec.Versions {
		a := &ours.Spec.Versions[i]
		at := slices.IndexFunc(theirs.Spec.Versions, func(v apiextv1.CustomResourceDefinitionVersion) bool { return v.Name == a.Name })
		if at < 0 {
			c.addValue(a.Name, fmt.Sprintf("versions[%d]", i), "version "+a.Name, "", NoEffect)
			continue
		}
		c.compareVersion(i, a, &theirs.Spec.Versions[at])
	}
	for _, b := range theirs.Spec.Versions {
		if slices.ContainsFunc(ours.Spec.Versions, func(v apiextv1.CustomResourceDefinitionVersion) bool { return v.Name == b.Name }) {
			continue
		}
		effect := NoEffect
		if b.Storage || slices.Contains(theirs.Status.StoredVersions, b.Name) {
			effect = Rejected
		}
		c.addValue(b.Name, "versions", "", "version "+b.Name, effect)
	}
}

// compareVersion compares a version of two CRDs. i is its index in the API file.
func (c *comparer) compareVersion(i int, a, b *apiextv1.CustomResourceDefinitionVersion) {
	key := func(name string) string { return fmt.Sprintf("versions[%d].%s", i, name) }
	c.addValue(a.Name+".served", key("served"), flagText(a.Served), flagText(b.Served), NoEffect)
	c.addValue(a.Name+".storage", key("storage"), flagText(a.Storage), flagText(b.Storage), NoEffect)
	c.addValue(a.Name+".deprecated", key("deprecated"), flagText(a.Deprecated), flagText(b.Deprecated), NoEffect)
	c.addValue(a.Name+".deprecationWarning", key("deprecated"), jsonText(a.DeprecationWarning), jsonText(b.DeprecationWarning), NoEffect)
	c.addValue(a.Name+".subresources.status", key("status"), statusText(a), statusText(b), NoEffect)
	c.addValue(a.Name+".subresources.scale", key("scale"), jsonText(scaleOf(a)), jsonText(scaleOf(b)), NoEffect)
	c.addValue(a.Name+".selectableFields", key("selectableFields"), selectableText(a), selectableText(b), NoEffect)
	c.compareColumns(key("columns"), a, b)
	c.compareSchemas(place{path: a.Name, isRoot: true, node: c.nodeOf(i)}, schemaOf(a), schemaOf(b))
}

func schemaOf(v *apiextv1.CustomResourceDefinitionVersion) *props {
	if v.Schema == nil {
		return nil
	}
	return v.Schema.OpenAPIV3Schema
}

func statusText(v *apiextv1.CustomResourceDefinitionVersion) string {
	return flagText(v.Subresources != nil && v.Subresources.Status != nil)
}

func scaleOf(v *apiextv1.CustomResourceDefinitionVersion) *apiextv1.CustomResourceSubresourceScale {
	if v.Subresources == nil {
		return nil
	}
	return v.Subresources.Scale
}

func selectableText(v *apiextv1.CustomResourceDefinitionVersion) string {
	var paths []string
	for _, f := range v.SelectableFields {
		paths = append(paths, f.JSONPath)
	}
	return setText(paths)
}

// compareColumns compares the columns of kubectl get, by name. Their order counts, because kubectl
// shows them in it.
func (c *comparer) compareColumns(key string, a, b *apiextv1.CustomResourceDefinitionVersion) {
	ours, theirs := columnTexts(a), columnTexts(b)
	before := len(c.found)
	for _, name := range unionOf(ours, theirs) {
		c.addValue(a.Name+".columns["+name+"]", key, ours[name], theirs[name], NoEffect)
	}
	if len(c.found) == before {
		c.addValue(a.Name+".columns", key, columnNames(a), columnNames(b), NoEffect)
	}
}

// columnTexts returns columns as JSON without their names, by name.
func columnTexts(v *apiextv1.CustomResourceDefinitionVersion) map[string]string {
	texts := map[string]string{}
	for _, column := range v.AdditionalPrinterColumns {
		column.Description = normalized(column.Description)
		values, _ := plainValue(column).(map[string]any)
		delete(values, "name")
		texts[column.Name] = jsonText(values)
	}
	return texts
}

// columnNames returns the names of columns in their order.
func columnNames(v *apiextv1.CustomResourceDefinitionVersion) string {
	var names []string
	for _, column := range v.AdditionalPrinterColumns {
		names = append(names, column.Name)
	}
	return listText(names)
}
