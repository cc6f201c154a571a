package schemas

import (
	"encoding/json"
	"errors"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
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

// TestSetDefaults shows where defaults go, and what stays.
func TestSetDefaults(t *testing.T) {
	var of apiextensionsv1.JSONSchemaProps
	if err := yaml.Unmarshal([]byte(defaultedSchema), &of); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct{ given, want string }{
		"empty":      {`{}`, `{"size":3,"kept":"x","zero":7,"policy":{"mode":"Fast"}}`},
		"set":        {`{"size":1,"zero":0,"kept":"","policy":{"mode":"Slow"}}`, `{"size":1,"zero":0,"kept":"","policy":{"mode":"Slow"}}`},
		"null":       {`{"size":null,"kept":null}`, `{"size":3,"kept":null,"zero":7,"policy":{"mode":"Fast"}}`},
		"in objects": {`{"policy":{},"optional":{}}`, `{"size":3,"kept":"x","zero":7,"policy":{"mode":"Fast"},"optional":{"mode":"Slow"}}`},
		"in lists":   {`{"items":[{},{"port":1}]}`, `{"size":3,"kept":"x","zero":7,"policy":{"mode":"Fast"},"items":[{"port":80},{"port":1}]}`},
		"in maps":    {`{"byName":{"a":{},"b":{"weight":1}}}`, `{"size":3,"kept":"x","zero":7,"policy":{"mode":"Fast"},"byName":{"a":{"weight":0.5},"b":{"weight":1}}}`},
		"unknown":    {`{"other":{"size":null},"items":[]}`, `{"size":3,"kept":"x","zero":7,"policy":{"mode":"Fast"},"other":{"size":null},"items":[]}`},
	} {
		t.Run(name, func(t *testing.T) {
			var got, want map[string]any
			if err := errors.Join(json.Unmarshal([]byte(test.given), &got), json.Unmarshal([]byte(test.want), &want)); err != nil {
				t.Fatal(err)
			}
			if err := SetDefaults(got, &of); err != nil {
				t.Fatal(err)
			}
			if gotJSON, wantJSON := encode(t, got), encode(t, want); gotJSON != wantJSON {
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
