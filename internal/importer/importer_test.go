package importer

import (
	"encoding/json"
	"strings"
	"testing"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/opgen-dev/opgen/internal/kubetypes"
	"github.com/opgen-dev/opgen/internal/spec"
)

// crdWith returns a CRD whose spec has one field, given in JSON.
func crdWith(field string) string {
	return `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {kind: Widget, listKind: WidgetList, plural: widgets, singular: widget}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              field: ` + field + "\n"
}

// imported returns the last line of the spec file of a CRD with one field.
func imported(t *testing.T, field string) string {
	t.Helper()
	specs, problems := Import("crd.yaml", []byte(crdWith(field)))
	if err := problems.Err(); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(specs[0].Text)), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}

func TestFieldsInTheShorthand(t *testing.T) {
	const gep2257 = `^([0-9]{1,5}(h|m|s|ms)){1,4}$`
	for _, tc := range []struct{ field, want string }{
		{`{type: string}`, `field: string`},
		{`{type: string, format: date-time}`, `field: meta/v1.Time`},
		{`{type: string, format: date-time, pattern: '` + spec.TimePattern + `'}`, `field: time`},
		{`{type: string, format: date-time, pattern: '` + spec.MicroTimePattern + `'}`, `field: meta/v1.MicroTime`},
		{`{type: string, pattern: '` + spec.DurationPattern + `', default: 1h}`, `field: duration | default=1h`},
		{`{type: string, pattern: '` + spec.DurationPattern + `', format: x}`, "field: string | pattern=`" + spec.DurationPattern + "` format=x"},
		{`{type: string, pattern: '` + gep2257 + `'}`, `field: string | pattern="` + gep2257 + `"`},
		{`{type: string, format: uri}`, `field: string | format=uri`},
		{`{type: string, enum: [a, "b c", ""]}`, `field: string | enum=[a, "b c", ""]`},
		{`{type: string, pattern: "^[a b]$"}`, `field: string | pattern="^[a b]$"`},
		{`{type: string, pattern: "^\\d$"}`, "field: string | pattern=`^\\d$`"},
		{`{type: string, default: "1"}`, `field: string | default=1`},
		{`{type: string, default: off}`, `default: false`},
		{`{type: boolean, default: off}`, `field: bool | default=false`},
		{`{type: integer, default: 014}`, `field: integer | default=12`},
		{`{type: integer, format: int64, minimum: 1_000}`, `field: int64 | minimum=1000`},
		{`{x-kubernetes-int-or-string: true, anyOf: [{type: integer}, {type: string}], default: "80"}`, `field: intstr.IntOrString | default="80"`},
		{`{x-kubernetes-int-or-string: true, anyOf: [{type: integer}, {type: string}], minimum: -2147483648, maximum: 2147483647}`, `field: intOrString`},
		{`{x-kubernetes-int-or-string: true, anyOf: [{type: integer}, {type: string}], pattern: '` + spec.QuantityPattern + `'}`, `field: quantity`},
		{`{x-kubernetes-int-or-string: true, anyOf: [{type: integer}, {type: string}], pattern: '` + quantityPattern + `'}`, `field: resource.Quantity`},
		{`{type: array, items: {type: array, items: {type: boolean}}, maxItems: 2}`, `field: "[][]bool | maxItems=2"`},
		{`{type: array, items: {type: string, minLength: 1}}`, `items: string | minLength=1`},
		{`{type: object, additionalProperties: {type: string}}`, `field: map[string]string`},
		{`{type: object, additionalProperties: true}`, `additionalProperties: true`},
		{`{type: integer, maximum: 9223372036854775807}`, `field: integer | maximum=9.223372036854776e+18`},
		{`{type: number, maximum: 18446744073709551615}`, `field: number | maximum=1.8446744073709552e+19`},
		{`{type: number, minimum: 9007199254740993, default: 9007199254740994}`, `field: number | minimum=9007199254740992 default=9007199254740994`},
		{`{type: number, default: 1e-400}`, `field: number | default=0`},
		{`{type: number, default: 0.10000000000000000000001, minimum: 0.10}`, `field: number | default=0.1 minimum=0.10`},
		{`{type: object, properties: {minimum: {type: integer, maximum: 9223372036854775807}}}`, `minimum: integer | maximum=9.223372036854776e+18`},
		{`{type: integer, anyOf: [{not: {minimum: 9223372036854775807}}]}`, `minimum: 9.223372036854776e+18`},
		{`{type: string, format: ""}`, `field: string | format=""`},
		{`{type: string, default: 1E400, not: {}}`, `not: {}`},
		{`{type: string, not: {}, default: 1E400}`, `default: "1E400"`},
		{`{type: string, not: {}, default: 1:30}`, `default: "1:30"`},
		{`{type: string, not: {}, default: "0o17"}`, `default: "0o17"`},
		{`{"type": "string", "default": "\ud83d\ude00"}`, `field: string | default="😀"`},
		{`{type: object, properties: {}}`, `properties: {}`},
		{`{type: object, default: {}, properties: {}}`, `properties: {}`},
		{`{x-kubernetes-preserve-unknown-fields: true}`, `field: any`},
	} {
		if got := imported(t, tc.field); got != tc.want {
			t.Errorf("%s:\ngot  %s\nwant %s", tc.field, got, tc.want)
		}
	}
}

func TestKubernetesTypesOnlyWhereEverythingIsTheSame(t *testing.T) {
	condition, _ := kubetypes.TypeByName(spec.TypeCondition)
	text := func() string {
		raw, err := yaml.Marshal(condition.Schema)
		if err != nil {
			t.Fatal(err)
		}
		object, err := yaml.YAMLToJSON(raw)
		if err != nil {
			t.Fatal(err)
		}
		return string(object)
	}
	if got, want := imported(t, "{type: array, items: "+text()+"}"), `field: "[]meta/v1.Condition"`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	condition.Schema.Description = "One of the conditions."
	if got, want := imported(t, text()), "field: meta/v1.Condition"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	status := condition.Schema.Properties["status"]
	status.Description = "another"
	condition.Schema.Properties["status"] = status
	if got := imported(t, text()); strings.Contains(got, "meta/v1.Condition") {
		t.Errorf("another description: got %s", got)
	}
}

// TestMetadataOfEmbeddedObjects shows that types which hold an object are known whether the CRD
// names the fields of its metadata or not.
func TestMetadataOfEmbeddedObjects(t *testing.T) {
	template, _ := kubetypes.TypeByName("core/v1.PodTemplateSpec")
	text := func(s apiextv1.JSONSchemaProps) string {
		raw, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	in := func(fields kubetypes.Metadata) string { return text(kubetypes.WithMetadata(template.Schema, fields)) }
	all, labels, bare := in(kubetypes.AllMetadata), in(kubetypes.LabelMetadata), in(kubetypes.NoMetadata)
	for _, tc := range []struct {
		given, field, want string
		metadata           string
	}{
		{"all", all, "field: core/v1.PodTemplateSpec", "All"},
		{"labels", labels, "field: core/v1.PodTemplateSpec", ""},
		{"bare", bare, "field: core/v1.PodTemplateSpec", "false"},
		{"metadata alone", text(template.Schema.Properties["metadata"]), "field: meta/v1.ObjectMeta", "All"},
		{"no object", `{type: string}`, "field: string", ""},
	} {
		specs, problems := Import("crd.yaml", []byte(crdWith(tc.field)))
		if err := problems.Err(); err != nil {
			t.Fatal(err)
		}
		got := string(specs[0].Text)
		_, line, _ := strings.Cut(got, "embeddedMetadata: ")
		if metadata, _, _ := strings.Cut(line, "\n"); !strings.HasSuffix(strings.TrimSpace(got), tc.want) || metadata != tc.metadata {
			t.Errorf("%s: got\n%s", tc.given, got)
		}
	}
	both := `{type: object, properties: {a: ` + bare + `, b: ` + all + `}}`
	specs, problems := Import("crd.yaml", []byte(crdWith(both)))
	if err := problems.Err(); err != nil {
		t.Fatal(err)
	}
	if got := string(specs[0].Text); strings.Count(got, "core/v1.PodTemplateSpec") != 1 {
		t.Errorf("one of two forms is not written out: got\n%.800s", got)
	}
}

func TestInputThatIsTooMuch(t *testing.T) {
	bomb := "a: &a [x, x, x, x, x, x, x, x, x, x]\n"
	for last := 'a'; last < 'j'; last++ {
		alias := ", *" + string(last)
		bomb += string(last+1) + ": &" + string(last+1) + " [" + strings.Repeat(alias, 10)[2:] + "]\n"
	}
	for _, tc := range []struct{ given, text, want string }{
		{"a bomb of aliases", bomb, "has too many values once its aliases are written out"},
		{"an alias to itself", "a: &a [*a]\n", "is nested more than 200 levels deep"},
		{"nothing but commas", "a: [" + strings.Repeat(",", 1<<20), "is too large: it has 1048577 lines, commas and opening brackets"},
		{"a large file", strings.Repeat("#", spec.MaxFileSize+1), "is too large: the limit is 16 MiB"},
		{"deep nesting", "a: " + strings.Repeat("[", 500) + strings.Repeat("]", 500), "is nested more than 200 levels deep"},
		{"no YAML", "a: [", "is not YAML: "},
		{"nothing", "", "contains no CustomResourceDefinition"},
	} {
		_, problems := Import("crd.yaml", []byte(tc.text))
		if len(problems) != 1 || !strings.HasPrefix(problems[0].Message, tc.want) {
			t.Errorf("%s: got %v", tc.given, problems)
		}
	}
}

// FuzzDescription shows that a description survives word for word, whatever it says, and changes
// nothing else.
func FuzzDescription(f *testing.F) {
	for _, seed := range []string{
		"plain", "two\nlines", " blanks \n", "\n", "# a", "a: b # c", "\t", "\r\n", "\u202e", "\ufeff", "'", "\"", "`", "---", "\x00",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, description string) {
		raw, err := yaml.Marshal(map[string]string{"description": description, "type": "string"})
		if err != nil {
			t.Skip(err)
		}
		object, err := yaml.YAMLToJSON(raw)
		if err != nil {
			t.Skip(err)
		}
		var want map[string]string
		if err := yaml.Unmarshal(object, &want); err != nil {
			t.Skip(err)
		}
		specs, problems := Import("crd.yaml", []byte(crdWith(string(object))))
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		fields := specs[0].API.Versions[0].Spec.Properties
		if len(fields) != 1 || fields[0].Schema.Keywords.Description != want["description"] || fields[0].Schema.Keywords.Type != "string" {
			t.Errorf("%q:\n%s", description, specs[0].Text)
		}
	})
}

// TestPartsOfCRDs imports what says it is a CRD and is none: patches, such as those of kustomize.
func TestPartsOfCRDs(t *testing.T) {
	const header = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n"
	for _, part := range []string{
		"", "metadata: {name: a.b.c}\n", "spec: {}\n", "spec: {versions: []}\n", "spec: {versions: null}\n", "spec: {versions: [null]}\n",
		"spec: {versions: [{name: v1}]}\n", "spec: {versions: [{schema: {}}]}\n", "spec: {versions: [{schema: {openAPIV3Schema: null}}]}\n",
		"spec: {conversion: {strategy: Webhook}}\n", "spec: {names: []}\n", "spec: []\n", "spec: x\n",
	} {
		if specs, problems := Import("crd.yaml", []byte(header+part)); len(problems) == 0 {
			t.Errorf("%q is imported: %s", part, specs[0].Text)
		}
	}
}

// Readers of YAML differ in which of two equal keys they take.
func TestImportRefusesAKeyTwice(t *testing.T) {
	for _, twice := range []string{"  scope: Namespaced\n  scope: Cluster\n", "  scope: Namespaced\n  names: {kind: A, plural: as, kind: B}\n"} {
		text := "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: as.example.com}\nspec:\n  group: example.com\n  names: {kind: A, plural: as}\n" + twice +
			"  versions:\n  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}\n"
		if _, problems := Import("a.yaml", []byte(text)); !strings.Contains(problems.Error(), "the key is there twice") {
			t.Errorf("problems %v of\n%s", problems, text)
		}
	}
}
