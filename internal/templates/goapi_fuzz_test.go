package templates

import (
	"encoding/json"
	"go/format"
	"strings"
	"testing"
	"unicode/utf8"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/opgen-dev/opgen/internal/gomodel"
	"github.com/opgen-dev/opgen/internal/spec"
)

// FuzzText writes a text wherever an author can write one. Whatever it is, the Go types are as many
// and as long as with a harmless text: nothing of it becomes code, a marker or a directive.
func FuzzText(f *testing.F) {
	for _, seed := range []string{
		"", "harmless", "two\nlines", "+kubebuilder:validation:MaxLength=1", "\n+optional\n", "*/ func init() {}",
		"`", "\"", "'\\", "//go:build ignore", "\n//go:generate rm", "{{ .Name }}", "---", "TODO", "```\n+x\n```",
		"\r+optional", "\x00", "\ufeff", "\u2028+optional", "\u00a0+optional", "\v+optional", "a;b,c=d}", "%s%d",
		"}\n", "\t# Heading\n  - list", "Deprecated: no", "true", "-1", "0x10",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) {
			t.Skip("spec files are UTF-8")
		}
		got, want := typesWith(t, text), typesWith(t, "harmless")
		if g, w := shape(got), shape(want); g != w {
			t.Errorf("with %q:\n%s\nwithout:\n%s", text, got, want)
		}
	})
}

// typesWith returns the types of an API that has the text wherever one can be.
func typesWith(t *testing.T, text string) string {
	t.Helper()
	raw, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	value := apiextv1.JSON{Raw: raw}
	rules := apiextv1.ValidationRules{{Rule: text + "x", Message: text + "x", MessageExpression: text + "x", FieldPath: text + "x"}}
	texts := apiextv1.JSONSchemaProps{
		Type: "string", Description: text, Default: &value, Example: &value, Pattern: text + "x", Title: text + "x",
		Format: text + "x", XValidations: rules, ExternalDocs: &apiextv1.ExternalDocumentation{URL: text, Description: text + "x"},
	}
	enum := apiextv1.JSONSchemaProps{Type: "string", Enum: []apiextv1.JSON{value}, Description: text}
	object := apiextv1.JSONSchemaProps{Type: "object", Description: text, XValidations: rules, Required: []string{"text"}}
	fields := []spec.Property{
		{Name: "text", GoName: "Text", Schema: &spec.Schema{Keywords: texts}},
		{Name: "enum", GoName: "Enum", Schema: &spec.Schema{Keywords: enum}},
		{Name: "list", GoName: "List", Schema: &spec.Schema{
			Keywords: apiextv1.JSONSchemaProps{Type: "array", Description: text}, Items: &spec.Schema{Keywords: enum},
		}},
	}
	api := &spec.API{
		Header: spec.Header{
			Group: "demo.example.com", Scope: spec.Namespaced,
			Names: spec.Names{Kind: "Hostile", GoKind: "Hostile", ListKind: "HostileList", GoListKind: "HostileList", Plural: "hostiles", Singular: "hostile"},
		},
		Versions: []spec.Version{{
			Name: "v1", Served: true, Storage: true, StandardRoot: true, Description: text,
			Columns: []spec.Column{{Name: text, Path: text, Type: "string", Description: text + "x", Format: text + "x"}},
			Spec:    &spec.Schema{Keywords: object, Properties: fields},
		}},
	}
	packages, problems := gomodel.Packages(&spec.Project{Module: "example.com/m"}, []*spec.API{api})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	source, err := Types(packages[0])
	if err != nil {
		t.Fatal(err)
	}
	if again, err := format.Source(source); err != nil || string(again) != string(source) {
		t.Fatalf("not as gofmt has it: %v\n%s", err, source)
	}
	return string(source)
}

// shape returns what of a source is code, markers by their names, and directives.
func shape(source string) string {
	var b strings.Builder
	for line := range strings.Lines(source) {
		text, comment := strings.CutPrefix(strings.TrimSpace(line), "//")
		marker := strings.TrimSpace(text)
		switch {
		case comment && strings.HasPrefix(marker, "+"):
			name, _, _ := strings.Cut(marker, "=")
			b.WriteString(name + "\n")
		case comment && text != "" && !strings.HasPrefix(text, " "):
			b.WriteString("directive " + text + "\n")
		case !comment && text != "" && !strings.Contains(line, "HostileEnum") && !strings.Contains(line, "HostileList"):
			b.WriteString(strings.Join(strings.Fields(line), " ") + "\n")
		}
	}
	return b.String()
}
