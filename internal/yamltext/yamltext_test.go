package yamltext

import (
	"encoding/json"
	"reflect"
	"testing"

	yamlv3 "go.yaml.in/yaml/v3"
	sigsyaml "sigs.k8s.io/yaml"
)

// TestMarshalSortsKeysByBytes marshals names whose order is none to the YAML library.
func TestMarshalSortsKeysByBytes(t *testing.T) {
	given := map[string]any{}
	for _, name := range []string{"p2", "p10", "p1x", "P1", "p-1", "p_1", "p", "V1", "V2", "V10", "v1beta1", "v1", "v10", "é", "10", "9"} {
		given[name] = int64(1)
	}
	want := "\"10\": 1\n\"9\": 1\nP1: 1\nV1: 1\nV10: 1\nV2: 1\np: 1\np-1: 1\np10: 1\np1x: 1\np2: 1\np_1: 1\nv1: 1\nv10: 1\nv1beta1: 1\né: 1\n"
	for range 50 {
		got, err := Marshal(given)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != want {
			t.Fatalf("got:\n%s\nwant:\n%s", got, want)
		}
	}
}

func TestMarshal(t *testing.T) {
	type tagged struct {
		B []string `json:"b"`
		A float64  `json:"a,omitempty"`
		C *int32   `json:"c"`
	}
	for _, tc := range []struct {
		name  string
		given any
		want  string
	}{
		{"text", "a: b", "'a: b'\n"},
		{"text of several lines", map[string]any{"a": "b\nc\n"}, "a: |\n  b\n  c\n"},
		{"empty values", map[string]any{"a": map[string]any{}, "b": []any{}, "c": "", "d": nil}, "a: {}\nb: []\nc: \"\"\nd: null\n"},
		{"lists are not indented", map[string]any{"a": []any{map[string]any{"c": true, "b": "x"}, "y"}}, "a:\n- b: x\n  c: true\n- \"y\"\n"},
		{"numbers", []any{int64(9007199254740993), 1.5, float64(5), 1e21, 1e-7}, "- 9007199254740993\n- 1.5\n- 5\n- 1e+21\n- 1e-07\n"},
		{"a struct", tagged{B: []string{"<x>"}}, "b:\n- <x>\nc: null\n"},
		{"a long text stays on its line", "aaaaaaaaaaaaaaaaaaaa bbbbbbbbbbbbbbbbbbbbbbbbbbbbb ccccccccccccccccccccccccccc ddddddddddddddddddddddddd", "aaaaaaaaaaaaaaaaaaaa bbbbbbbbbbbbbbbbbbbbbbbbbbbbb ccccccccccccccccccccccccccc ddddddddddddddddddddddddd\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := Marshal(tc.given)
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestMarshalRefusesWhatJSONCannotHold(t *testing.T) {
	for name, value := range map[string]any{"a function": func() {}, "no UTF-8": "\xff", "no UTF-8 in a key": map[string]any{"\xff": true}} {
		if text, err := Marshal(value); err == nil {
			t.Errorf("%s: got %q", name, text)
		}
	}
}

// TestOtherThanText shows what is quoted: what some reader takes for something else than text.
func TestOtherThanText(t *testing.T) {
	for want, given := range map[string][]string{
		"a number":  {"1", "+1", "-0", "012", "1_000", "1.5", ".5", "1.", "1e3", "1E400", "1e-400", "-1E+400", "1:30", "190:20:30", "1:30.5", "0x1F", "0xFFFFFFFFFFFFFFFFFFFF", "0o17", "-0o17", "0b101", "99999999999999999999"},
		"a boolean": {"yes", "No", "ON", "off"},
		"a date":    {"2001-12-14", "2001-1-1", "2001-13-45", "2001-12-14T21:59:43Z", "2001-12-14 21:59:43"},
		"nothing":   {""},
		"no text":   {"true", "FALSE", "null", "~", ".inf", "-.INF", ".NaN", "<<", "="},
		"":          {"a", "y", "n", "1a", "1.2.3", "v1", "1:90", "e5", "1e", "1 2", "10m", "-", "+", ".", "...", "0x", "0o8", "12-34", "yes!", "1E400x", "2001-12-14x", "::1", "1::2"},
	} {
		for _, text := range given {
			if got := OtherThanText(text); got != want {
				t.Errorf("%q: got %q, want %q", text, got, want)
			}
		}
	}
}

// FuzzMarshal has the YAML libraries of Kubernetes and of opgen read what is written.
func FuzzMarshal(f *testing.F) {
	for _, text := range []string{"", " ", "\n", "a\n", "\na", " a\nb", "a \nb", "a\n\n b\n\n", "\ta", "a\r\nb", "a: b", "a #b", "# a", "- a", "y", "1E400",
		"0o17", "1:30", "=", "<<", "---", "--- a", "...", "%YAML 1.1", "&a", "*a", "!a", "{a", "[a", "'", `"`, "\\", "`", "@", "|", ">", "\u00e9", "\U0001F600", "\u2028", "\ufeff", "\u0085", "\x00", "\x7f",
		"? a", "a:", ":a", "a\n  b\n c", "  \n a"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		asJSON, err := json.Marshal(text)
		if err != nil || json.Unmarshal(asJSON, &text) != nil { // valid UTF-8 from here on
			t.Fatal(err)
		}
		given := map[string]any{text: text, "list": []any{text, map[string]any{"below": text}, []any{text}}}
		written, err := Marshal(given)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		for name, read := range map[string]func([]byte, any) error{
			"kubernetes": func(data []byte, into any) error { return sigsyaml.Unmarshal(data, into) },
			"opgen":      yamlv3.Unmarshal,
		} {
			var got map[string]any
			if err := read(written, &got); err != nil {
				t.Fatalf("%s: %q: %v\n%s", name, text, err, written)
			}
			if !reflect.DeepEqual(got, given) {
				t.Errorf("%s: got %q, want %q, from:\n%s", name, got, given, written)
			}
		}
	})
}
