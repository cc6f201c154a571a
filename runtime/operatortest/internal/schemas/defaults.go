package schemas

import (
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
)

// SetDefaults sets the defaults of a schema in an object by the code of the API server: in fields that
// are absent, and in those that are null and may not be.
func SetDefaults(object map[string]any, of *apiextensionsv1.JSONSchemaProps) error {
	if of == nil {
		return nil
	}
	var internal apiextensions.JSONSchemaProps
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(of, &internal, nil); err != nil {
		return err
	}
	structural, err := schema.NewStructural(&internal)
	if err != nil {
		return err
	}
	defaulting.Default(object, structural)
	return nil
}
