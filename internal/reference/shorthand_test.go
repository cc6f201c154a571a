package reference

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// TestShorthandPattern holds texts against the pattern and the parser: what the parser accepts, the
// pattern does.
func TestShorthandPattern(t *testing.T) {
	for _, tt := range []struct {
		text string
		want bool
	}{
		{"string", true},
		{" string ", true},
		{"[]map[string][]core/v1.Pod", true},
		{"string|required", true},
		{"string | required=true minLength=1 maxLength=63", true},
		{"string | default=\"a | required\" pattern=`^[a-z ]+$`", true},
		{`string | default="a\"b" title="[" enum=[a, "b ]", c]`, true},
		{`string | pattern=^[a-z]{1,3}$ required`, true},
		{`[]string | default=["a b", c] listType=set`, true},
		{`map[string]string | default={"a": {"b": [1, 2]}}`, true},
		{`[]core/v1.ServicePort | listType=map listMapKey=port listMapKey=protocol`, true},
		{`core/v1.PodSpec | minProperties=1 pattern=a`, true},
		{`github.com/cert-manager/cert-manager/pkg/apis/meta/v1.ObjectReference | required`, true},
		{`[]example.com/echo/internal/shared.Endpoint | maxItems=3`, true},
		{`map[string]example.com/vault.Key`, true},
		{`net/url.URL`, true},
		{`rbac.authorization.k8s.io/v1.PolicyRule`, false},
		{`example.com/lib.`, false},
		{`github.com/cert-manager/cert-manager`, false},
		{`any | default={"a": 1} example=[1, 2]`, true},
		{`int64 | default=-5 minimum=-1e3 multipleOf=.5`, true},
		{`bool | default=true nullable`, true},
		{`intOrString | default=80%`, true},
		{`resource.Quantity | default=1Gi`, true},
		{`string | goName="URL"`, true},
		{`string | format=date-time`, true},

		{"", false},
		{"text", false},
		{"string |", false},
		{"string required", false},
		{"string | requierd", false},
		{"string | required required=1", false},
		{"string | minLength", false},
		{"string | minLength=one", false},
		{"string | maximum=3", false},
		{"int32 | format=int64", false},
		{"int32 | default=1.5", false},
		{"bool | default=yes", false},
		{"[]string | minLength=1", false},
		{"[]string | default=a", false},
		{"string | enum=a,b", false},
		{`string | default="a"b`, false},
		{`string | default="a`, false},
		{"string | listType=sorted", false},
		{"map[int]string", false},
		{"Named", true},
		{"[]Named | required listType=map listMapKey=a", true},
		{"named", false},
	} {
		file := apiHeader + "names: {kind: A}\ntypes: {Named: {properties: {a: string | required}}}\nversions:\n- name: v1\n  spec:\n    properties:\n      a: '" + strings.ReplaceAll(tt.text, "'", "''") + "'\n"
		if accepted := len(parse("", []byte(file))) == 0; accepted != tt.want {
			t.Errorf("%s: the parser accepts it: %v", tt.text, accepted)
		}
		if got := regexp.MustCompile(shorthandPattern(ofField)).MatchString(tt.text); got != tt.want {
			t.Errorf("%s: the pattern accepts it: %v", tt.text, got)
		}
	}
}

func TestOnlyFieldsAreRequired(t *testing.T) {
	for _, marker := range []string{"required", "goName=URL"} {
		text := fmt.Sprintf("string | minLength=1 %s", marker)
		if regexp.MustCompile(shorthandPattern(anywhere)).MatchString(text) {
			t.Errorf("%q is accepted beside items", text)
		}
	}
}

const apiHeader = "apiVersion: opgen.dev/v1alpha1\nkind: API\ngroup: demo.example.com\n"
