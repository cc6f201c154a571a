package spec

import (
	"strings"
	"testing"
)

func TestDescriptions(t *testing.T) {
	for _, tc := range []struct {
		given string
		lines []string
		want  string // of the last field
	}{
		{"a comment above", []string{"# Name of it.", "a: string"}, "Name of it."},
		{"several lines", []string{"# One,", "#   two", "#", "# three.", "a: string"}, "One,\n  two\n\nthree."},
		{"no space after #", []string{"#Name", "a: string"}, "Name"},
		{"above the plain form", []string{"# Name", "a:", "  type: string"}, "Name"},
		{"a blank line between", []string{"# Name", "", "a: string"}, ""},
		{"a blank line within", []string{"# Old", "", "# New", "a: string"}, "New"},
		{"behind the field", []string{"a: string  # Name"}, ""},
		{"behind the field above", []string{"b: string  # Other", "a: string"}, ""},
		{"of the field above, deeper", []string{"b:", "  type: string", "  # Inside of b.", "a: string"}, ""},
		{"less indented", []string{"b: string", "a: string"}, ""},
		{"description: wins", []string{"# Comment", "a: {type: string, description: Text}"}, "Text"},
		{"description= wins", []string{"# Comment", "a: string | description=Text"}, "Text"},
		{"an empty description: wins", []string{"# Comment", `a: {type: string, description: ""}`}, ""},
		{"two fields on one line", []string{"b: {properties: {", "  # Of c.", "  c: string, a: string}}"}, ""},
		{"text in a block scalar", []string{"b: {type: string}", "c:", "  type: string", "  title: |", "    # text", "a: string"}, ""},
		{"text in quotes over lines", []string{`b: {type: string, title: "x`, `# text"}`, "a: string"}, ""},
		{"what looks like code", []string{"# +kubebuilder:validation:Required */ `\" {{ .X }}", "a: string"}, "+kubebuilder:validation:Required */ `\" {{ .X }}"},
	} {
		t.Run(tc.given, func(t *testing.T) {
			text := apiHead + "  # Of the spec.\n  spec:\n    # Of the fields.\n    properties:\n      " + strings.Join(tc.lines, "\n      ") + "\n"
			for _, text := range []string{text, strings.ReplaceAll(text, "\n", "\r\n")} {
				properties := mustParse(t, text).Versions[0].Spec.Properties
				last := properties[len(properties)-1].Schema
				if len(last.Properties) > 0 {
					last = last.Properties[len(last.Properties)-1].Schema
				}
				if got := last.Keywords.Description; got != tc.want {
					t.Errorf("got %q, want %q", got, tc.want)
				}
			}
		})
	}
}

func TestCommentsElsewhereDescribeNothing(t *testing.T) {
	api := mustParse(t, "# Top\n"+apiHead+"  # Spec\n  spec:\n    # Properties\n    properties: {a: string}\n")
	v := api.Versions[0]
	if got := v.Description + v.Spec.Keywords.Description + v.Spec.Properties[0].Schema.Keywords.Description; got != "" {
		t.Errorf("got %q", got)
	}
}
