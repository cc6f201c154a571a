package schemas

import (
	"encoding/json"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// SetDefaults sets the defaults of a schema in an object, as the API server does when it stores a
// custom resource: in fields that are absent, and in those that are null and may not be. A test compares
// it with the code of the API server. That code itself would add eleven modules to each project that has
// tests, such as the client of etcd.
func SetDefaults(value any, schema *apiextensionsv1.JSONSchemaProps) error {
	if schema == nil {
		return nil
	}
	switch value := value.(type) {
	case map[string]any:
		return setFieldDefaults(value, schema)
	case []any:
		if schema.Items == nil {
			return nil
		}
		for _, item := range value {
			if err := SetDefaults(item, schema.Items.Schema); err != nil {
				return err
			}
		}
	}
	return nil
}

func setFieldDefaults(fields map[string]any, schema *apiextensionsv1.JSONSchemaProps) error {
	for name := range schema.Properties {
		property := schema.Properties[name]
		value, isSet := fields[name]
		if property.Default == nil || isSet && (value != nil || property.Nullable) {
			continue
		}
		var byDefault any
		if err := json.Unmarshal(property.Default.Raw, &byDefault); err != nil {
			return err
		}
		fields[name] = byDefault
	}
	for name, value := range fields {
		property, isDeclared := schema.Properties[name]
		inner := &property
		if !isDeclared {
			inner = nil
			if schema.AdditionalProperties != nil {
				inner = schema.AdditionalProperties.Schema
			}
		}
		if err := SetDefaults(value, inner); err != nil {
			return err
		}
	}
	return nil
}
