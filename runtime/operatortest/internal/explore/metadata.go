package explore

import (
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// foreignPrefix begins the labels, annotations and field managers of other writers than the
// operator.
const foreignPrefix = "foreign.operatortest.opgen.dev"

// ownKeys returns the labels or annotations of a child that the runtime has written and that are
// not desired.
func ownKeys(child *unstructured.Unstructured, desired map[string]any, manager, field string) []string {
	fields, _, _ := unstructured.NestedMap(desired, "metadata", field)
	owned := map[string]bool{}
	for _, entry := range child.GetManagedFields() {
		if entry.Manager != manager || entry.Subresource != "" {
			continue
		}
		below, _, _ := unstructured.NestedMap(fieldsOf(entry), "f:metadata", "f:"+field)
		for name := range below {
			if name != "." {
				owned[name[len("f:"):]] = true
			}
		}
	}
	maps.DeleteFunc(owned, func(key string, _ bool) bool { _, ok := fields[key]; return ok })
	return slices.Sorted(maps.Keys(owned))
}

// metadataMutationsOf returns the mutations of the metadata that makes an object a child: the
// runtime's own labels and annotations, and the owner reference. sibling is a child of another
// parent; nil if there is none.
func metadataMutationsOf(child *unstructured.Unstructured, desired map[string]any, manager string, sibling *unstructured.Unstructured, s shape) []alteration {
	var g generator
	for _, field := range []string{"labels", "annotations"} {
		for _, key := range ownKeys(child, desired, manager, field) {
			at := path{{field: "metadata"}, {field: field}, {field: key}}
			g.addAlteration(at, strips, at.remove)
			g.addAlteration(at, alters, setValueAt(at, "other"))
			g.copyFrom(sibling, at)
		}
	}
	references := path{{field: "metadata"}, {field: "ownerReferences"}}
	if len(child.GetOwnerReferences()) > 0 {
		g.addAlteration(references, strips, references.remove)
		for _, field := range []string{"uid", "name", "controller"} {
			at := references.with(step{index: 0}).with(step{field: field})
			other := map[string]any{"uid": "00000000-0000-0000-0000-000000000000", "name": "other", "controller": false}[field]
			g.addAlteration(at, alters, setValueAt(at, other))
		}
		g.copyFrom(sibling, references)
	}
	g.addOwnership(desired, s)
	return g.made
}

// copyFrom adds the mutation that copies the ownership of another child.
func (g *generator) copyFrom(sibling *unstructured.Unstructured, at path) {
	if sibling == nil {
		return
	}
	if value, ok := at.get(sibling.Object); ok {
		g.addAlteration(at, copiesOver, setValueAt(at, value))
	}
}

// addOwnership adds the mutations of managedFields.
func (g *generator) addOwnership(desired map[string]any, s shape) {
	managed := path{{field: "metadata"}, {field: "managedFields"}}
	wipe := func(content map[string]any) bool {
		return managed.set(content, []any{map[string]any{}})
	}
	g.addAlteration(managed, wipes, wipe)
	g.made = append(g.made, alteration{text: "metadata.managedFields of twelve writers", family: shares, edits: []func(map[string]any) bool{wipe}})
	for _, m := range mutationsOf(desired, s) {
		if (m.family != changes && m.family != removes) || m.at[0].field == "metadata" || len(m.at) < 2 {
			continue
		}
		var edits []func(map[string]any) bool
		for _, edit := range m.edits {
			edits = append(edits, func(content map[string]any) bool { return edit(content) && wipe(content) })
		}
		g.made = append(g.made, alteration{at: m.at, text: fmt.Sprintf("%s and metadata.managedFields: %s", m.at, m.family), family: wipes, edits: edits})
	}
}
