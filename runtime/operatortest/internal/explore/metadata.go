package explore

import (
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/opgen-dev/opgen/runtime/operatortest/internal/schemas"
)

// foreignPrefix begins the labels, annotations and field managers of other writers than the
// operator.
const foreignPrefix = "foreign.operatortest.opgen.dev"

// ownKeys returns the labels or annotations of a child that the runtime has written and that are
// not desired. The API server counts the templates of a DaemonSet in an annotation, which belongs to
// whoever has written the template.
func ownKeys(child *unstructured.Unstructured, desired map[string]any, manager, field string) []string {
	fields, _, _ := unstructured.NestedMap(desired, "metadata", field)
	owned := schemas.OwnedFields(child, func(owner string) bool { return owner == manager })
	for _, name := range []string{"metadata", field} {
		owned = owned.WithPrefix(fieldpath.FieldNameElement(name))
	}
	var keys []string
	for path := range owned.Leaves().All() {
		if key := *path[0].FieldName; len(path) == 1 && fields[key] == nil && key != appsv1.DeprecatedTemplateGeneration {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

// metadataMutationsOf returns the mutations of the metadata that makes an object a child: the
// runtime's own labels and annotations, and the owner reference. sibling is a child of another
// parent; nil if there is none.
func metadataMutationsOf(child *unstructured.Unstructured, desired map[string]any, manager string, sibling *unstructured.Unstructured, s schemas.Schema) []alteration {
	var g generator
	for _, field := range []string{"labels", "annotations"} {
		for _, key := range ownKeys(child, desired, manager, field) {
			at := schemas.PathOf("metadata", field, key)
			g.addAlteration(at, strips, at.Remove)
			g.addAlteration(at, alters, setValueAt(at, "other"))
			g.copyFrom(sibling, at)
		}
	}
	references := schemas.PathOf("metadata", "ownerReferences")
	if len(child.GetOwnerReferences()) > 0 {
		g.addAlteration(references, strips, references.Remove)
		for _, field := range []string{"uid", "name", "controller"} {
			at := references.Then(fieldpath.IndexElement(0)).With(field)
			other := map[string]any{"uid": "00000000-0000-0000-0000-000000000000", "name": "other", "controller": false}[field]
			g.addAlteration(at, alters, setValueAt(at, other))
		}
		g.copyFrom(sibling, references)
	}
	g.addManagedFieldsMutations(desired, s)
	return g.made
}

// copyFrom adds the mutation that copies the ownership of another child.
func (g *generator) copyFrom(sibling *unstructured.Unstructured, at schemas.Path) {
	if sibling == nil {
		return
	}
	if value, ok := at.Get(sibling.Object); ok {
		g.addAlteration(at, copiesOver, setValueAt(at, value))
	}
}

// addManagedFieldsMutations adds the mutations of managedFields.
func (g *generator) addManagedFieldsMutations(desired map[string]any, s schemas.Schema) {
	managed := schemas.PathOf("metadata", "managedFields")
	wipe := func(content map[string]any) bool {
		return managed.Set(content, []any{map[string]any{}})
	}
	g.addAlteration(managed, wipes, wipe)
	g.made = append(g.made, alteration{text: "metadata.managedFields of twelve writers", family: shares, edits: []func(map[string]any) bool{wipe}})
	for _, m := range mutationsOf(desired, s) {
		if (m.family != changes && m.family != removes) || *m.at[0].FieldName == "metadata" || len(m.at) < 2 {
			continue
		}
		var edits []func(map[string]any) bool
		for _, edit := range m.edits {
			edits = append(edits, func(content map[string]any) bool { return edit(content) && wipe(content) })
		}
		g.made = append(g.made, alteration{at: m.at, text: fmt.Sprintf("%s and metadata.managedFields: %s", m.at, m.family), family: wipes, edits: edits})
	}
}
