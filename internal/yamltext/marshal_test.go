package yamltext

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

// same shows that an object is written as sigs.k8s.io/yaml writes it.
func same(t *testing.T, object any) {
	t.Helper()
	want, err := yaml.Marshal(object)
	if err != nil {
		t.Skip(err)
	}
	got, err := Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("-sigs.k8s.io/yaml +Marshal\n%s", diff)
	}
}

// TestCRDs writes CRDs of the repository, and those of other projects where they are.
func TestCRDs(t *testing.T) {
	for _, pattern := range []string{"../corpus/testdata/crds/*.yaml", "../../../shared/crds/*/*.yaml"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		if len(files) == 0 {
			t.Logf("no %s: skipped", pattern)
		}
		if testing.Short() {
			files = files[:min(len(files), 20)]
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			data = bytes.ReplaceAll(data, []byte(`\ufeff`), nil) // see strange
			for document := range strings.SplitSeq("\n"+string(data), "\n---") {
				t.Run(filepath.Base(file), func(t *testing.T) { same(t, typed(t, document)) })
			}
		}
	}
}

// typed returns a CRD as its Go type has it, without what is empty: sigs.k8s.io/yaml would leave it out.
func typed(t *testing.T, document string) *apiextv1.CustomResourceDefinition {
	t.Helper()
	var said, crd apiextv1.CustomResourceDefinition
	if err := yaml.Unmarshal([]byte(document), &said); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(said)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &crd); err != nil {
		t.Fatal(err)
	}
	return &crd
}

func TestValues(t *testing.T) {
	for given, object := range map[string]any{
		"integers":  []int64{0, -1, 9007199254740993, 9223372036854775807, -9223372036854775808},
		"numbers":   []float64{0, -0.5, 1, 1e6, 1234567.5, 1e-7, 1e20, 1e21, 9223372036854775807, 18446744073709551615, -1e19, 1e300},
		"raw JSON":  apiextv1.JSON{Raw: []byte(`{"b": 1.0, "a": [1e3, -0, 9007199254740993, null, true, "1", [], {}, [[1]]]}`)},
		"bytes":     apiextv1.WebhookClientConfig{CABundle: []byte("certificate")},
		"time":      metav1.ObjectMeta{Name: "x", CreationTimestamp: metav1.Unix(1e9, 0), DeletionTimestamp: new(metav1.Unix(2e9, 0))},
		"lists":     map[string]any{"a": []any{[]any{"b", []any{"c"}}, map[string]any{"d": []any{"e"}, "f": map[string]any{"g": 1}}}},
		"nothing":   nil,
		"a pointer": (*string)(nil),
		"long keys": map[string]any{strings.Repeat("k", 128): 1, strings.Repeat("l", 129): map[string]any{"a": []any{"b"}}, strings.Repeat("m ", 99): []any{"c", map[string]any{"d": 2}}},
		"keys":      map[string]any{"v10": 1, "v9": 1, "v1": 1, "Zone": 1, "_": 1, "a01": 1, "a1": 1, "a10": 1, "a100": 1, "é": 1, "ê": 1, "": 1, "yes": 1, "1": 1},
	} {
		t.Run(given, func(t *testing.T) { same(t, object) })
	}
}

func TestEmptyIsNotAbsent(t *testing.T) {
	got, err := Marshal(apiextv1.JSONSchemaProps{
		Type:       "object",
		Properties: map[string]apiextv1.JSONSchemaProps{"a": {Required: []string{}, Enum: []apiextv1.JSON{}}},
		AllOf:      []apiextv1.JSONSchemaProps{{Properties: map[string]apiextv1.JSONSchemaProps{}}},
		Items:      &apiextv1.JSONSchemaPropsOrArray{Schema: &apiextv1.JSONSchemaProps{XListMapKeys: []string{}}},
		AdditionalProperties: &apiextv1.JSONSchemaPropsOrBool{
			Allows: true, Schema: &apiextv1.JSONSchemaProps{XValidations: apiextv1.ValidationRules{}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	const want = `additionalProperties:
  x-kubernetes-validations: []
allOf:
- properties: {}
items:
  x-kubernetes-list-map-keys: []
properties:
  a:
    enum: []
    required: []
type: object
`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// FuzzText writes a text in every place. What sigs.k8s.io/yaml cannot write, or writes such that it is lost, must
// still be read again.
func FuzzText(f *testing.F) {
	for _, seed := range []string{
		"", " ", "a", "a b", "a: b", "a #b", "- a", "-", "?", "? a", ":", "a:", "#", "'", `"`, "it's", "`", "@a", "%a", "!a", "&a", "*a", "|", ">",
		"---", "...", "--- a", "~", "null", "yes", "Yes", "yEs", "on", "n", "true", "1", "-1", "+1", "0x1f", "0b1", "0o7", "014", "1_000", "1e3", ".5", "1.", ".inf", "-.Inf", ".nan",
		"12:30:45", "190:20:30.15", "2001-12-14", "2001-12-14T21:59:43.10Z", "2001-12-14 21:59:43", "<<", "=", "\t", "a\tb", "\n", "\n\n", "a\n", "a\n\n", "a\nb", " a\nb", "\na", "a \nb", "a\n b", "a\n ", "a\nb ",
		"\r", "a\r\nb", "\x00", "\x07", "\x1b", "\x7f", "\u0085", "\u00a0", "\u2028", "\ufeff", "\ufffd", "\U0001f600", "é", "日本", "\xff", "a\xffb",
		strings.Repeat("word ", 40), strings.Repeat("word ", 40) + "end", strings.Repeat("it's ", 40) + "# end", strings.Repeat("日本 ", 40) + "end",
		strings.Repeat("tab\t \"", 30), strings.Repeat("two  spaces ", 20) + "end", strings.Repeat("two  \t spaces", 20), strings.Repeat("long ", 17) + "\nline",
		strings.Repeat("k", 129), strings.Repeat("k ", 65), `C:\dir`, `^[a-z]+\d$`, "<a> & b",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		object := map[string]any{"value": text, "in": map[string]any{"list": []any{text, []any{text}}, "of": map[string]any{text: text}}}
		if !strange(text) {
			same(t, object)
		}
		written, err := Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		var again map[string]any
		if err := yaml.Unmarshal(written, &again); err != nil {
			t.Fatalf("%v\n%s", err, written)
		}
		if diff := cmp.Diff(valid(text), again["value"]); diff != "" {
			t.Errorf("-written +read\n%s", diff)
		}
	})
}

// FuzzKeys puts keys in order.
func FuzzKeys(f *testing.F) {
	for _, seed := range [][2]string{
		{"a", "b"}, {"a1", "a01"}, {"a10", "a9"}, {"v1", "v1beta1"}, {"x10", "x100"}, {"x100", "x1000"}, {"x1000", "x1001"},
		{"é", "è"}, {"e", "é"}, {"日", "本"}, {"日", "1"}, {"a-b", "a_b"}, {"a.b", "a"}, {"", "a"}, {"maxItems", "maximum"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		if !strange(a) && !strange(b) {
			same(t, map[string]int{valid(a): 1, valid(b): 2})
		}
	})
}

func TestKeysWithoutOrder(t *testing.T) {
	var first []byte
	for range 20 {
		got, err := Marshal(map[string]int{"v1a": 1, "v9": 1, "v10": 1, "v2": 1, "v2b": 1, "v20": 1})
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = got
		}
		if diff := cmp.Diff(string(first), string(got)); diff != "" {
			t.Fatalf("-first +now\n%s", diff)
		}
	}
}

// strange tells of texts that sigs.k8s.io/yaml breaks into lines at characters that show none, of which it escapes
// every character, or which it cannot read again.
func strange(text string) bool {
	return text == "<<" || strings.ContainsAny(text, "\u2028\u2029") || strings.HasPrefix(text, "\ufeff")
}
