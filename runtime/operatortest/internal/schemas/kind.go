package schemas

import (
	"bytes"
	"encoding/json"
	"maps"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

// Document has the schemas of one version of an API group.
type Document struct {
	components map[string]*spec.Schema
	converter  managedfields.TypeConverter
}

// Parse reads an OpenAPI document.
func Parse(data []byte) (*Document, error) {
	var content struct {
		Components struct {
			Schemas map[string]*spec.Schema `json:"schemas"`
		} `json:"components"`
	}
	if err := json.Unmarshal(data, &content); err != nil {
		return nil, err
	}
	converter, err := managedfields.NewTypeConverter(content.Components.Schemas, false)
	return &Document{content.Components.Schemas, converter}, err
}

// Kind returns a kind. One that the document does not have has no schema.
func (d *Document) Kind(kind schema.GroupVersionKind) *Kind {
	for _, node := range d.components {
		kinds, _ := node.Extensions["x-kubernetes-group-version-kind"].([]any)
		for _, named := range kinds {
			fields, _ := named.(map[string]any)
			if fields["group"] == kind.Group && fields["version"] == kind.Version && fields["kind"] == kind.Kind {
				return &Kind{newSchema(node, d.components), kind, d.converter}
			}
		}
	}
	return &Kind{Schema{}, kind, managedfields.NewDeducedTypeConverter()}
}

// Kind is a kind with its schema.
type Kind struct {
	Schema
	kind      schema.GroupVersionKind
	converter managedfields.TypeConverter
}

// Typed returns the content of an object with its schema, without the fields that the schema does not
// have: the API server drops these, too.
func (k *Kind) Typed(content map[string]any) (*typed.TypedValue, error) {
	known, _ := k.dropUnknown(content).(map[string]any)
	object := &unstructured.Unstructured{Object: maps.Clone(known)}
	object.SetGroupVersionKind(k.kind)
	return k.converter.ObjectToTyped(object, typed.AllowDuplicates)
}

// Fields returns the fields that an object sets.
func (k *Kind) Fields(content map[string]any) (*fieldpath.Set, error) {
	object, err := k.Typed(content)
	if err != nil {
		return nil, err
	}
	return object.ToFieldSet()
}

// Compare returns the fields that the second of two objects lacks, those that it has with another
// value, and those that only it has.
func (k *Kind) Compare(from, to map[string]any) (*typed.Comparison, error) {
	before, err := k.Typed(from)
	if err != nil {
		return nil, err
	}
	after, err := k.Typed(to)
	if err != nil {
		return nil, err
	}
	return before.Compare(after)
}

// OwnedFields returns the fields of an object that some of its field managers own.
func OwnedFields(object *unstructured.Unstructured, isOwner func(manager string) bool) *fieldpath.Set {
	owned := new(fieldpath.Set)
	for _, entry := range object.GetManagedFields() {
		fields := new(fieldpath.Set)
		if entry.FieldsV1 != nil && isOwner(entry.Manager) && fields.FromJSON(bytes.NewReader(entry.FieldsV1.GetRawBytes())) == nil {
			owned = owned.Union(fields)
		}
	}
	return owned
}

// IsNobody reports whether the API server keeps fields under a name because it has lost sight of
// their managers, of which the operator may be one.
func IsNobody(manager string) bool {
	return manager == "ancient-changes" || manager == "before-first-apply"
}
