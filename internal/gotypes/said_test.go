package gotypes_test

import (
	"slices"
	"strings"
	"testing"
)

// wordsOfLibraries are parts of messages of Go's parser, controller-tools and the API server's code that
// say nothing to an author.
var wordsOfLibraries = []string{
	"*ast.", "*types.", "<input>", "(at ", "allOf", "/pkg/mod/", "structural", "AST kind", "strconv.", "unsupported type", "encountered", "schemata", "<nil>",
}

// TestSaid holds what is said of types against what is expected: each message is in the words of the
// author, and has a hint.
func TestSaid(t *testing.T) {
	cases := slices.Clone(saidCases)
	for i := range cases {
		cases[i].source = withTags(cases[i].source)
	}
	read := readAll(t, cases)
	got := map[string]string{}
	for _, c := range saidCases {
		got[c.name] = textOf(read.problems[c.name]) + textOf(read.warnings[c.name])
	}
	got["in files of other packages"] = textOf(read.problems[""])
	golden(t, "said.txtar", got)
	for name, text := range got {
		for _, word := range wordsOfLibraries {
			if strings.Contains(text, word) {
				t.Errorf("%s: has %q, which its author has not written:\n%s", name, word, text)
			}
		}
		if text != "" && strings.Count(text, "\n") != 2*strings.Count(text, "\n    ") {
			t.Errorf("%s: a message says not what to do:\n%s", name, text)
		}
	}
}

// saidCases are types, with ' in the place of the quotes of tags, and ~ of back quotes in comments.
var saidCases = []typesCase{
	{"schemaless recursion", "type ThingSpec struct {\n\t// +kubebuilder:validation:Schemaless\n\t// +kubebuilder:pruning:PreserveUnknownFields\n\tA []Node 'json:\"a,omitempty\"'\n\tN *Node 'json:\"n\"'\n}\ntype Node struct {\n\t// +kubebuilder:validation:Schemaless\n\tB []Node 'json:\"b,omitempty\"'\n}\n"},
	{"recursion with a type alone", "type ThingSpec struct {\n\tN *Node 'json:\"n\"'\n}\ntype Node struct {\n\t// +kubebuilder:validation:Type=object\n\tB *Node 'json:\"b,omitempty\"'\n}\n"},
	{"named inline", "type ThingSpec struct {\n\tNamed Limits 'json:\",inline\"'\n}\ntype Limits struct {\n\tBurst int32 'json:\"burst\"'\n}\n"},
	{"named with options only", "type ThingSpec struct {\n\tNamed string 'json:\",omitempty\"'\n}\n"},
	{"named inline map", "type ThingSpec struct {\n\tExtra map[string]string 'json:\",inline\"'\n}\n"},
	{"embedded map", "type ThingSpec struct {\n\tExtra 'json:\",inline\"'\n}\ntype Extra map[string]string\n"},
	{"embedded text", "type ThingSpec struct {\n\tExtra 'json:\",inline\"'\n\tB int32 'json:\"b\"'\n}\ntype Extra string\n"},
	{"embedded named", "type ThingSpec struct {\n\tExtra 'json:\"extra\"'\n}\ntype Extra string\n"},
	{"two embedded of one name", "type ThingSpec struct {\n\tA 'json:\",inline\"'\n\tB 'json:\",inline\"'\n}\ntype A struct {\n\tMode string 'json:\"mode\"'\n}\ntype B struct {\n\tMode string 'json:\"mode\"'\n}\n"},
	{"shadowed with defaults", "type ThingSpec struct {\n\tInner 'json:\",inline\"'\n\t// +kubebuilder:default=fast\n\tMode string 'json:\"mode\"'\n}\ntype Inner struct {\n\t// +kubebuilder:default=slow\n\tMode string 'json:\"mode\"'\n}\n"},
	{"shadowed of another type", "type ThingSpec struct {\n\tInner 'json:\",inline\"'\n\tMode int32 'json:\"mode\"'\n}\ntype Inner struct {\n\tMode string 'json:\"mode\"'\n}\n"},
	{"type parameters", "type ThingSpec struct {\n\tA Pair[string, int32] 'json:\"a\"'\n\tB []List[string] 'json:\"b\"'\n\tC map[string]*List[int32] 'json:\"c\"'\n\tD Names 'json:\"d\"'\n}\ntype Pair[K comparable, V any] struct {\n\tKey K 'json:\"key\"'\n}\ntype List[T any] struct {\n\tItems []T 'json:\"items\"'\n}\ntype Names List[string]\n"},
	{"pattern without quotes", "type ThingSpec struct {\n\t// +kubebuilder:validation:Pattern=^[a-z0-9]{4}$\n\tA string 'json:\"a\"'\n\t// +kubebuilder:validation:Pattern=\"fo{,2}\n\tB string 'json:\"b\"'\n\t// +kubebuilder:validation:Pattern=~x\n\tC string 'json:\"c\"'\n\t// +kubebuilder:validation:Minimum=low\n\tD int32 'json:\"d\"'\n\t// +kubebuilder:validation:XValidation:rul=\"true\"\n\tE int32 'json:\"e\"'\n\t// +kubebuilder:validation:XValidation:message=\"true\"\n\tF int32 'json:\"f\"'\n\t// +kubebuilder:validation:MaxLength=\n\tG string 'json:\"g\"'\n\t// +kubebuilder:validation:UniqueItems=maybe\n\tH []string 'json:\"h\"'\n\t// +kubebuilder:validation:MinLength=1.5\n\tI string 'json:\"i\"'\n\t// +kubebuilder:validation:Optional=true\n\tJ string 'json:\"j\"'\n}\n"},
	{"alias of a map", "type ThingSpec struct {\n\tA Labels 'json:\"a\"'\n\tB []Refs 'json:\"b\"'\n\tC Ptr 'json:\"c\"'\n\tD Bare 'json:\"d\"'\n\tE Deep 'json:\"e\"'\n}\ntype Labels = map[string]string\ntype Refs = []Ref\ntype Ref struct {\n\tN string 'json:\"n\"'\n}\ntype Ptr = *Ref\ntype Bare = struct {\n\tN string 'json:\"n\"'\n}\ntype Deep = Labels\n"},
	{"aliases of what has no schema", "type ThingSpec struct {\n\tA Fn 'json:\"a\"'\n\tB Any 'json:\"b\"'\n\tC Ch 'json:\"c\"'\n}\ntype Fn = func()\ntype Any = interface{ M() }\ntype Ch = chan int\n"},
	{"colon equals", "type ThingSpec struct {\n\t// +kubebuilder:validation:Enum:=A;B\n\t// +kubebuilder:default:=A\n\tA string 'json:\"a\"'\n}\n"},
	{"colon equals of an argument", "// +kubebuilder:printcolumn:name:=Ready\ntype ThingSpec struct {\n\tA string 'json:\"a\"'\n}\n"},
	{"lists of bytes", "type ThingSpec struct {\n\tA []uint8 'json:\"a\"'\n\tB []Byte 'json:\"b\"'\n\tC []int8 'json:\"c\"'\n\tD Raw 'json:\"d\"'\n\tE []byte 'json:\"e\"'\n}\ntype Byte uint8\ntype Raw []byte\n"},
	{"text with the option string", "type ThingSpec struct {\n\tA string 'json:\"a,string\"'\n\tB *Mode 'json:\"b,string\"'\n}\ntype Mode string\n"},
	{"embedded pointer to an unexported struct", "type ThingSpec struct {\n\t*inner 'json:\",inline\"'\n}\ntype inner struct {\n\tB int32 'json:\"b\"'\n}\n"},
	{"embedded type with JSON methods", "import metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\ntype ThingSpec struct {\n\tmetav1.Time 'json:\",inline\"'\n\tB int32 'json:\"b\"'\n}\n"},
	{"embedded type with JSON methods and a name", "import metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\ntype ThingSpec struct {\n\tmetav1.Duration 'json:\"d\"'\n\tB int32 'json:\"b\"'\n}\n"},
	{"json.Number", "import \"encoding/json\"\ntype ThingSpec struct {\n\tA json.Number 'json:\"a\"'\n}\n"},
	{"net.IP", "import \"net\"\ntype ThingSpec struct {\n\tA net.IP 'json:\"a\"'\n}\n"},
	{"map keys", "type ThingSpec struct {\n\tA map[int]string 'json:\"a\"'\n\tB map[bool]string 'json:\"b\"'\n\tC map[string]struct{} 'json:\"c\"'\n\tD map[string]any 'json:\"d\"'\n\tE map[Key]string 'json:\"e\"'\n\tF map[string]func() 'json:\"f\"'\n}\ntype Key struct{}\n"},
	{"complex", "type ThingSpec struct {\n\tA complex64 'json:\"a\"'\n\tB uintptr 'json:\"b\"'\n\tC any 'json:\"c\"'\n\tD error 'json:\"d\"'\n\tE interface{} 'json:\"e\"'\n\tF chan int 'json:\"f\"'\n\tG (string) 'json:\"g\"'\n}\n"},
	{"limits of another type", "type ThingSpec struct {\n\t// +kubebuilder:validation:Minimum=1\n\tA string 'json:\"a\"'\n\t// +kubebuilder:validation:MinLength=1\n\tB int32 'json:\"b\"'\n\t// +kubebuilder:validation:MinItems=1\n\tC string 'json:\"c\"'\n\t// +listType=map\n\tD string 'json:\"d\"'\n\t// +kubebuilder:validation:items:Pattern=~a~\n\tE string 'json:\"e\"'\n\t// +k8s:enum\n\tF string 'json:\"f\"'\n\t// +kubebuilder:validation:MinProperties=1\n\tG []string 'json:\"g\"'\n}\n"},
	{"default that is no JSON", "type ThingSpec struct {\n\t// +kubebuilder:default={a:\n\tA string 'json:\"a\"'\n\t// +default=x\n\tB string 'json:\"b\"'\n\t// +default=ref(Foo)\n\tC string 'json:\"c\"'\n}\n"},
	{"groups of fields", "// +kubebuilder:validation:ExactlyOneOf=a;b.c\ntype ThingSpec struct {\n\tA string 'json:\"a,omitempty\"'\n\tB string 'json:\"b,omitempty\"'\n\tR Req 'json:\"r\"'\n}\n// +kubebuilder:validation:AtMostOneOf=a;b\ntype Req struct {\n\tA string 'json:\"a\"'\n\tB string 'json:\"b,omitempty\"'\n}\n"},
	{"own marshaler of a type that is no text", "type ThingSpec struct {\n\tA Mode 'json:\"a\"'\n}\n// +kubebuilder:validation:Type=integer\ntype Mode string\nfunc (m Mode) MarshalText() ([]byte, error) { return nil, nil }\n"},
	{"enum without constants", "type ThingSpec struct {\n\tA Mode 'json:\"a\"'\n\tB Num 'json:\"b\"'\n}\n// +k8s:enum\ntype Mode string\n// +k8s:enum\ntype Num int32\n"},
	{"enums without effect", "import corev1 \"k8s.io/api/core/v1\"\n\ntype ThingSpec struct {\n\tA Mode 'json:\"a\"'\n\tB corev1.PullPolicy 'json:\"b\"'\n\t// +kubebuilder:validation:Enum=Always;Never\n\tC *corev1.PullPolicy 'json:\"c,omitempty\"'\n\tD Other 'json:\"d\"'\n}\n\n// +enum\ntype Mode string\n\n// +enum\n// +kubebuilder:validation:Enum=a;b\ntype Other string\n"},
	{"own JSON", "type ThingSpec struct {\n\tA Mode 'json:\"a\"'\n\tB Level 'json:\"b\"'\n\tC Said 'json:\"c\"'\n\tD Once 'json:\"d\"'\n}\n\ntype Mode struct{ A string 'json:\"a\"' }\n\nfunc (m Mode) MarshalJSON() ([]byte, error) { return nil, nil }\n\ntype Level int32\n\nfunc (l Level) MarshalJSON() ([]byte, error) { return nil, nil }\n\n// +kubebuilder:validation:Type=string\ntype Said struct{ A string 'json:\"a\"' }\n\nfunc (m Said) MarshalJSON() ([]byte, error) { return nil, nil }\n\ntype Once struct{ A string 'json:\"a\"' }\n\nfunc (o Once) MarshalText() ([]byte, error) { return nil, nil }\n"},
	{"names that JSON does not take", "type ThingSpec struct {\n\tA string 'json:\"a\\\\b\"'\n\tB Limits 'json:\"b,inline\"'\n\tC string\n\tLimits\n\tD string 'json:\"näme\"'\n\tE string 'json:\"-,\"'\n}\n\ntype Limits struct {\n\tBurst int32 'json:\"burst\"'\n}\n"},
	{"recursion through another module", "import apiextensionsv1 \"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1\"\n\ntype ThingSpec struct {\n\tA apiextensionsv1.JSONSchemaProps 'json:\"a\"'\n}\n"},
	{"foreign types with their own JSON", "import (\n\tmetav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\t\"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured\"\n)\n\ntype ThingSpec struct {\n\tA unstructured.Unstructured 'json:\"a\"'\n\t// +kubebuilder:pruning:PreserveUnknownFields\n\tB *unstructured.Unstructured 'json:\"b\"'\n\tC metav1.FieldsV1 'json:\"c\"'\n\tD []metav1.Time 'json:\"d\"'\n}\n"},
	{"types of another package", "import \"example.com/m/internal/shared\"\n\ntype ThingSpec struct {\n\tA shared.Tree 'json:\"a\"'\n\tB shared.Set[string] 'json:\"b\"'\n\tC *shared.Untagged 'json:\"c\"'\n\tD []shared.Holder 'json:\"d\"'\n\tE shared.Missing 'json:\"e\"'\n}\n"},
	{"two names in one declaration", "type ThingSpec struct {\n\tA, B int32 'json:\"a\"'\n}\n"},
}
