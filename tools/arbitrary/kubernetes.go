package arbitrary

import (
	"maps"
	"slices"
)

// own reports whether a field is one that Kubernetes itself has a say in.
func (o *object) own(name string) bool {
	return (o.node.root || o.node.schema.XEmbeddedResource) && (name == "apiVersion" || name == "kind" || name == "metadata")
}

// addKubernetes sets apiVersion, kind and metadata of an object, and of one that is embedded in
// another.
func (o *object) addKubernetes() {
	switch {
	case o.node.root:
		o.value["apiVersion"], o.value["kind"] = o.maker.apiVersion, o.maker.kind
		o.value["metadata"] = o.maker.metadata(o.node, o.maker.namespaced)
	case o.node.schema.XEmbeddedResource:
		o.value["apiVersion"], o.value["kind"] = o.text("apiVersion", "v1"), o.text("kind", "ConfigMap")
		if o.value["metadata"] = o.maker.metadata(o.node, true); o.maker.chance(4) && !o.requires("metadata") {
			delete(o.value, "metadata")
		}
	}
}

// text returns the text of a field that has limits of its own, and the usual one otherwise.
func (o *object) text(name, usual string) string {
	if field := o.node.fields[name]; field != nil && (len(field.schema.Enum) > 0 || field.schema.Pattern != "") {
		if value, ok := o.maker.value(field, nil, 0); ok {
			if text, isText := value.(string); isText {
				return text
			}
		}
	}
	return usual
}

func (o *object) requires(name string) bool {
	for _, required := range o.limits.Required {
		if required == name {
			return true
		}
	}
	return false
}

// metadata makes the metadata of an object, with the name as the schema limits it.
func (m *Maker) metadata(parent *node, namespaced bool) map[string]any {
	meta := map[string]any{"name": []string{"a", "example", "example-2", "a.b.c"}[m.random.IntN(4)]}
	if field := parent.fields["metadata"]; field != nil && field.fields["name"] != nil {
		if name, ok := m.value(field.fields["name"], nil, 0); ok && name != nil {
			meta["name"] = name
		}
	}
	if namespaced && m.chance(2) {
		meta["namespace"] = "default"
	}
	if m.chance(2) {
		meta["labels"] = map[string]any{"app.kubernetes.io/name": "example", "tier": ""}
	}
	if m.chance(2) {
		meta["annotations"] = map[string]any{"example.com/note": m.words()}
	}
	if m.chance(4) {
		meta["finalizers"] = []any{"example.com/finalizer"}
		meta["creationTimestamp"] = "2026-02-03T04:05:06Z"
		meta["uid"], meta["resourceVersion"], meta["generation"] = "00000000-0000-4000-8000-000000000000", "12", int64(3)
	}
	if m.chance(6) {
		meta["ownerReferences"] = []any{map[string]any{
			"apiVersion": "apps/v1", "kind": "Deployment", "name": "owner", "uid": "1", "controller": m.chance(2),
		}}
	}
	return meta
}

// metaNode returns the node of an object's metadata, of which rules see the name.
func (m *chooser) metaNode(parent *node) (*node, error) {
	meta := parent.structural.Properties["metadata"]
	s := props{Type: "object", Properties: map[string]props{}}
	if field := parent.fields["metadata"]; field != nil {
		s.Properties = maps.Clone(field.schema.Properties)
	}
	if s.Properties == nil {
		s.Properties = map[string]props{}
	}
	name := s.Properties["name"]
	name.Type = "string"
	name.AllOf = append(slices.Clone(name.AllOf), props{Pattern: objectName, MaxLength: new(int64(253))})
	s.Properties["name"] = name
	for field := range s.Properties {
		if _, known := meta.Properties[field]; !known {
			delete(s.Properties, field)
		}
	}
	return m.node(&s, &meta, false, parent.literals)
}

const objectName = `^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`
