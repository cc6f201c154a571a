package crdgen_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	kjson "k8s.io/apimachinery/pkg/util/json"

	"github.com/opgen-dev/opgen/internal/crdgen"
	"github.com/opgen-dev/opgen/internal/kubetypes"
	"github.com/opgen-dev/opgen/internal/spec"
)

// readableAPI has a field of every type whose Go type does not read all that JSON can say.
const readableAPI = `
apiVersion: opgen.dev/v1alpha1
kind: API
group: readable.opgen.dev
names: {kind: Readable}
types:
  Patience: duration
versions:
- name: v1
  standardStatus: false
  spec:
    properties:
      duration: duration
      named: Patience | pattern="^[0-9]"
      narrower: duration | pattern="^[0-9]"
      list: "[]duration"
      map: map[string]duration
      limited: {type: duration, x-kubernetes-validations: [{rule: "duration(self) <= duration('24h')"}]}
      time: time
      microTime: meta/v1.MicroTime
      quantity: quantity
      intOrString: intOrString
      port: intOrString | minimum=1 maximum=65535
      int32: int32
      int64: int64
      integer: integer
      float: float
      bytes: string | format=byte
      template: core/v1.PodTemplateSpec
`

// readable is the spec of a Readable in Go, as far as values could be stored that it cannot read.
type readable struct {
	Duration    *metav1.Duration           `json:"duration,omitempty"`
	Named       *metav1.Duration           `json:"named,omitempty"`
	Narrower    *metav1.Duration           `json:"narrower,omitempty"`
	List        []metav1.Duration          `json:"list,omitempty"`
	Map         map[string]metav1.Duration `json:"map,omitempty"`
	Limited     *metav1.Duration           `json:"limited,omitempty"`
	Time        *metav1.Time               `json:"time,omitempty"`
	MicroTime   *metav1.MicroTime          `json:"microTime,omitempty"`
	Quantity    *resource.Quantity         `json:"quantity,omitempty"`
	IntOrString *intstr.IntOrString        `json:"intOrString,omitempty"`
	Port        *intstr.IntOrString        `json:"port,omitempty"`
	Int32       *int32                     `json:"int32,omitempty"`
	Int64       *int64                     `json:"int64,omitempty"`
	Integer     *int64                     `json:"integer,omitempty"`
	Float       *float32                   `json:"float,omitempty"`
	Bytes       []byte                     `json:"bytes,omitempty"`
}

// readableValues are values of each field that are accepted and read, and values that are refused.
var readableValues = []struct {
	field              string
	accepted, rejected []string
}{
	{
		"duration",
		[]string{`"1h"`, `"1h30m0s"`, `"-1.5h"`, `"+.5s"`, `"5.m"`, `"0"`, `"-0"`, `"3us"`, `"3µs"`, `"3μs"`, `"1ns2ms"`, `"2562047h47m16.854775807s"`},
		[]string{`"soon"`, `""`, `"1 day"`, `"1d"`, `"5"`, `"1H"`, `" 1h"`, `"1h\n"`, `"h"`, `"1h 5m"`, `"--1h"`, `".h"`, `5`, `true`},
	},
	{"named", []string{`"1h"`, `"0"`}, []string{`"-1h"`, `"1d"`, `"1 day"`}},
	{"narrower", []string{`"1h"`, `"0"`}, []string{`"-1h"`, `"1d"`, `"1 day"`}},
	{"list", []string{`["1h", "5m"]`}, []string{`["1h", "soon"]`}},
	{"map", []string{`{"a": "1h"}`}, []string{`{"a": "1h", "b": "soon"}`}},
	{"limited", []string{`"24h"`}, []string{`"25h"`, `"soon"`, `"9999999h"`}},
	{
		"time",
		[]string{`"2026-01-02T03:04:05Z"`, `"2026-01-02T03:04:05.6Z"`, `"2026-01-02T03:04:05.123456789+23:59"`, `"2026-01-02T03:04:05-00:30"`},
		[]string{
			`"2026-01-02t03:04:05z"`, `"2026-01-02T03:04:05z"`, `"2026-01-02T03:04:05+99:99"`, `"2026-01-02T03:04:05x6Z"`, `"2026-01-02T03:04:05ZT"`,
			`"2026-01-02T03:04:05"`, `"2026-01-02"`, `"2026-02-30T03:04:05Z"`, `"2026-01-02T24:04:05Z"`, `"now"`, `""`, `1767323045`,
		},
	},
	{
		"microTime",
		[]string{`"2026-01-02T03:04:05.678901Z"`, `"2026-01-02T03:04:05.000000-01:00"`},
		[]string{`"2026-01-02T03:04:05Z"`, `"2026-01-02T03:04:05.678Z"`, `"2026-01-02T03:04:05.678901234Z"`, `"2026-01-02t03:04:05.678901z"`, `""`},
	},
	{
		"quantity",
		[]string{`"1Gi"`, `"100m"`, `1`, `-1`, `"+.5"`, `"5."`, `"1e3"`, `"1E-3"`, `"12E"`, `"1e999"`},
		[]string{`"lots"`, `""`, `"1e1.5"`, `"1e5."`, `"1e2147483648"`, `"1e99999999999999999999"`, `" 1"`, `"1 Gi"`, `true`},
	},
	{
		"intOrString",
		[]string{`80`, `"80%"`, `""`, `-2147483648`, `2147483647`, `80.0`},
		[]string{`2147483648`, `-2147483649`, `9223372036854775807`, `1.5`, `true`},
	},
	{"port", []string{`80`, `"http"`, `65535`}, []string{`0`, `65536`, `3000000000`}},
	{"int32", []string{`2147483647`, `1e3`}, []string{`2147483648`, `1.5`, `"1"`}},
	{"int64", []string{`9223372036854775807`}, []string{`1e19`, `1.5`}},
	{"integer", []string{`9223372036854775807`}, []string{`1e19`, `1.5`}},
	{"float", []string{`1.5`, `3e38`}, []string{`1e39`, `"1"`}},
	{"bytes", []string{`"YQ=="`, `"/+8="`}, []string{`"YQ"`, `"_-8="`, `"!"`, `"YQ===="`}},
}

func readableCRD(t *testing.T, text string) *apiextv1.CustomResourceDefinition {
	t.Helper()
	api, problems := spec.ParseAPI("api.yaml", []byte(text))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	crd, problems := crdgen.CRD(api, spec.DefaultMinKubernetes)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return crd
}

// TestWhatIsAcceptedIsRead holds the schemas against the Go types: an object that is stored and
// that Go cannot read keeps an operator from seeing any of the kind.
func TestWhatIsAcceptedIsRead(t *testing.T) {
	validator, err := crdgen.NewObjectValidator(readableCRD(t, readableAPI).Spec.Versions[0].Schema.OpenAPIV3Schema)
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range readableValues {
		for value, accepted := range expected(tc.accepted, tc.rejected) {
			var object map[string]any
			text := `{"apiVersion": "readable.opgen.dev/v1", "kind": "Readable", "metadata": {"name": "a"}, "spec": {"` + tc.field + `": ` + value + `}}`
			if err := kjson.Unmarshal([]byte(text), &object); err != nil {
				t.Fatal(err)
			}
			if errs := validator.Validate(object); accepted != (len(errs) == 0) {
				t.Errorf("%s: %s: accepted should be %v: %v", tc.field, value, accepted, errs)
			}
			if !accepted {
				continue // some, Go would read for hours
			}
			if err := readInGo(t, object["spec"]); err != nil {
				t.Errorf("%s: %s is accepted, but not read: %v", tc.field, value, err)
			}
		}
	}
}

// expected maps values to whether they are accepted.
func expected(accepted, rejected []string) map[string]bool {
	all := map[string]bool{}
	for _, value := range accepted {
		all[value] = true
	}
	for _, value := range rejected {
		all[value] = false
	}
	return all
}

// readInGo reads a spec as an operator does.
func readInGo(t *testing.T, spec any) error {
	t.Helper()
	raw, err := json.Marshal(spec)
	if err != nil {
		t.Fatal(err)
	}
	return json.Unmarshal(raw, &readable{})
}

// TestMetadataIsNamedWhereItMayBe shows which metadata the API server lets a schema name: that of
// objects which are neither the root nor an embedded resource.
func TestMetadataIsNamedWhereItMayBe(t *testing.T) {
	const text = `
apiVersion: opgen.dev/v1alpha1
kind: API
group: readable.opgen.dev
names: {kind: Holder}
types:
  Held: {type: core/v1.ConfigMap, x-kubernetes-embedded-resource: true}
versions:
- name: v1
  standardStatus: false
  spec:
    properties:
      plain: core/v1.ConfigMap
      embedded: {type: core/v1.ConfigMap, x-kubernetes-embedded-resource: true}
      named: Held
      list: "[]core/v1.ConfigMap"
`
	for _, tc := range []struct {
		given, text string
		named       string
	}{
		{"as it is", text, "plain list"},
		{"without", strings.Replace(text, "types:", "embeddedMetadata: false\ntypes:", 1), ""},
	} {
		root := readableCRD(t, tc.text).Spec.Versions[0].Schema.OpenAPIV3Schema
		if kubetypes.NamesMetadata(new(root.Properties["metadata"])) {
			t.Errorf("%s: the fields of the kind's own metadata are named", tc.given)
		}
		for name, field := range root.Properties["spec"].Properties {
			if got, want := kubetypes.NamesMetadata(&field), slices.Contains(strings.Fields(tc.named), name); got != want {
				t.Errorf("%s: %s: fields of metadata are named: %v", tc.given, name, got)
			}
		}
	}
}
