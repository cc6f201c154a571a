package spec

import "testing"

func TestNearestFloat(t *testing.T) {
	for _, tc := range []struct {
		given, nearest string
		same           bool
	}{
		{"0", "0", true},
		{"-0.0", "-0", true},
		{"0e99999999999999999999", "0", true},
		{"0.1", "0.1", true},
		{"1.50", "1.5", true},
		{"100", "100", true},
		{"+1E2", "100", true},
		{"1e21", "1e+21", true},
		{"1000000000000000000000", "1e+21", true},
		{".5", "0.5", true},
		{"9007199254740992", "9007199254740992", true},
		{"9007199254740993", "9007199254740992", false},
		{"9223372036854775807", "9.223372036854776e+18", false},
		{"9223372036854775808", "9.223372036854776e+18", false},
		{"9223372036854776000", "9.223372036854776e+18", true},
		{"1e-400", "0", false},
		{"1e-99999999999999999999", "0", false},
		{"0.1000000000000000000000001", "0.1", false},
		{"1e400", "", false},
	} {
		nearest, same := NearestFloat(tc.given)
		if nearest != tc.nearest || same != tc.same {
			t.Errorf("%s: got %s, %t; want %s, %t", tc.given, nearest, same, tc.nearest, tc.same)
		}
	}
}

// TestReadsWhatJSONAndYAMLHave shows what the YAML library alone refuses.
func TestReadsWhatJSONAndYAMLHave(t *testing.T) {
	api := mustParse(t, "%YAML 1.2\n---"+`
{"apiVersion": "opgen.dev/v1alpha1", "kind": "API", "group": "demo.example.com", "names": {"kind": "EchoServer"},
 "versions": [{"name": "v1", "spec": {"properties": {"a": {"type": "string", "default": "a\ud83d\ude00"}}}}]}
`)
	if got, want := string(api.Versions[0].Spec.Properties[0].Schema.Keywords.Default.Raw), `"a😀"`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	_, problems := ParseAPI("a.yaml", []byte(apiHead+`  spec: {properties: {a: "string | title=\"\ud83d\ude00\" maxlength=1"}}`+"\n"))
	want := "a.yaml:7:59: spec.a.maxlength: unknown marker\n    did you mean \"maxLength\"?"
	if got := problems.Error(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
