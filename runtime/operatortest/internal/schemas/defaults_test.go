package schemas

import (
	"encoding/json"
	"reflect"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"sigs.k8s.io/yaml"
)

const defaultedSchema = `
type: object
properties:
  size: {type: integer, default: 3}
  kept: {type: string, nullable: true, default: x}
  zero: {type: integer, default: 7}
  plain: {type: string}
  policy:
    type: object
    default: {}
    properties: {mode: {type: string, default: Fast}}
  optional:
    type: object
    properties: {mode: {type: string, default: Slow}}
  items:
    type: array
    items:
      type: object
      properties: {port: {type: integer, default: 80}}
  byName:
    type: object
    additionalProperties:
      type: object
      properties: {weight: {type: number, default: 0.5}}
`

// TestSetDefaults compares each object with what the code of the API server makes of it.
func TestSetDefaults(t *testing.T) {
	var v1 apiextensionsv1.JSONSchemaProps
	var internal apiextensions.JSONSchemaProps
	if err := yaml.Unmarshal([]byte(defaultedSchema), &v1); err != nil {
		t.Fatal(err)
	}
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(&v1, &internal, nil); err != nil {
		t.Fatal(err)
	}
	structural, err := schema.NewStructural(&internal)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"empty":      `{}`,
		"set":        `{"size":1,"zero":0,"plain":""}`,
		"null":       `{"size":null,"kept":null}`,
		"in objects": `{"policy":{},"optional":{}}`,
		"in lists":   `{"items":[{},{"port":1}]}`,
		"in maps":    `{"byName":{"a":{},"b":{"weight":1}}}`,
		"unknown":    `{"other":{"size":null},"items":[]}`,
	} {
		t.Run(name, func(t *testing.T) {
			var got, want map[string]any
			for _, into := range []*map[string]any{&got, &want} {
				if err := json.Unmarshal([]byte(text), into); err != nil {
					t.Fatal(err)
				}
			}
			if err := SetDefaults(got, &v1); err != nil {
				t.Fatal(err)
			}
			defaulting.Default(want, structural)
			if gotJSON, wantJSON := encode(t, got), encode(t, want); !reflect.DeepEqual(gotJSON, wantJSON) {
				t.Errorf("got %s, want %s", gotJSON, wantJSON)
			}
		})
	}
}

func encode(t *testing.T, value any) string {
	t.Helper()
	data, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
