package importer

import (
	"strings"
	"testing"
)

// plainCRD is a CRD with places for the actions of a template.
const plainCRD = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: issuers.tpl.example.com
  annotations: {example.com/note: NOTE}
  labels: {example.com/app: LABEL}
spec:
  group: GROUP
  names: {kind: Issuer, listKind: IssuerList, plural: issuers, singular: issuer}
  scope: Namespaced
  versions:
  - name: v1
    served: SERVED
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        description: DESCRIPTION
        properties:
          spec:
            type: object
            x-kubernetes-validations: [{rule: RULE, message: 'says {{ .Values.x }}'}]
            properties:
              url: {type: string, default: DEFAULT, pattern: PATTERN, enum: [DEFAULT, "{{ b }}"]}
              "{{ key }}": {type: string}
`

// with returns the CRD with a text in a place, and with others where none is given.
func with(place, text string) string {
	values := map[string]string{
		"NOTE": "a", "LABEL": "a", "GROUP": "tpl.example.com", "SERVED": "true", "DESCRIPTION": `"such as {{ .Values.x }}, {% raw %} and ${HOME}"`,
		"RULE": `"self.url != '{{ .Values.x }}'"`, "DEFAULT": `"{{ .Name }}"`, "PATTERN": `'^(\{\{ .Release.Name \}\}|{{.*}})$'`,
	}
	values[place] = text
	crd := plainCRD
	for name, value := range values {
		crd = strings.ReplaceAll(crd, name, value)
	}
	return crd
}

// A template is no CRD: the message names the tool, the line and what to do. Braces in texts are text.
func TestImportRefusesTemplates(t *testing.T) {
	const helm = "helm template CHART --include-crds"
	for given, tc := range map[string]struct {
		text     string
		messages []string // nil: no problem
	}{
		"a plain CRD":               {with("", ""), nil},
		"no template":               {with("DEFAULT", "'{{ .Values.x }} {{ end }}'"), nil},
		"braces in an annotation":   {with("NOTE", "'of {{ .Name }} and ${HOME}'"), nil},
		"a condition":               {"{{- if .Values.crds.enabled }}\n" + with("", "") + "{{- end }}\n", []string{"a.yaml:1:1: ", "actions of Helm", helm}},
		"a condition inside":        {strings.Replace(with("", ""), "  annotations:", "  {{- if .Values.keep }}\n  annotations:", 1), []string{"a.yaml:5:", "actions of Helm", helm}},
		"a name":                    {strings.Replace(with("", ""), "name: issuers", "name: {{ .Values.plural }}", 1), []string{"a.yaml:4:", "actions of Helm", helm}},
		"an unquoted value":         {with("LABEL", "{{ .Release.Name }}"), []string{"a.yaml:6:", "actions of Helm", helm}},
		"a quoted label":            {with("LABEL", "'{{ template \"x\" . }}'"), []string{"a.yaml:6:", "actions of Helm", helm}},
		"a quoted group":            {with("GROUP", "'{{ .Values.group }}'"), []string{"a.yaml:8:", "actions of Helm", helm}},
		"a quoted boolean":          {with("SERVED", "'{{ .Values.served }}'"), []string{"a.yaml:13:", "actions of Helm", helm}},
		"a certificate":             {strings.Replace(with("", ""), "example.com/note: a", `cert-manager.io/inject-ca-from: '{{ .Release.Namespace }}/{{ include "x" . }}-cert'`, 1), []string{"a.yaml:5:", "actions of Helm", helm}},
		"actions in comments":       {"# {{- if .Values.crds.enabled }}\n" + with("", "") + "# {{- end }}\n", []string{"a.yaml:", "actions of Helm", helm}},
		"a comment about templates": {"# write {{ name }} there\n" + with("", ""), nil},
		"Jinja":                     {"{% if crds %}\n" + with("", "") + "{% endif %}\n", []string{"a.yaml:1:", "actions of a template", "render it first"}},
		"a Jinja value":             {with("GROUP", "'{{ group }}'"), []string{"a.yaml:8:", "actions of a template", "render it first"}},
		"ytt":                       {"#@ load(\"@ytt:data\", \"data\")\n" + with("GROUP", "#@ data.values.group"), []string{"a.yaml:", "directives of ytt", "ytt -f"}},
		"a variable":                {with("GROUP", "${GROUP}"), []string{"a.yaml:8:", "the variable ${GROUP}", "envsubst"}},
		"a variable of kustomize":   {strings.Replace(with("", ""), "example.com/note: a", "cert-manager.io/inject-ca-from: $(CERTIFICATE_NAMESPACE)/$(CERTIFICATE_NAME)", 1), []string{"a.yaml:5:", "the variable $(CERTIFICATE_NAMESPACE)", "kustomize"}},
		"a CRD that is no YAML":     {with("GROUP", "'a"), []string{"is not YAML"}},
		"others in a list":          {"apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: ConfigMap, data: {a: '{{ .Values.x }}'}}\n- " + strings.ReplaceAll(strings.TrimSpace(with("", "")), "\n", "\n  ") + "\n", nil},
		"a CRD in a list":           {"apiVersion: v1\nkind: List\nitems:\n- " + strings.ReplaceAll(strings.TrimSpace(with("GROUP", "'{{ .Values.x }}'")), "\n", "\n  ") + "\n", []string{"actions of Helm"}},
		"others with actions":       {with("", "") + "---\nkind: ConfigMap\nmetadata: {name: '{{ .Release.Name }}'}\n", nil},
	} {
		t.Run(given, func(t *testing.T) {
			_, problems := Import("a.yaml", []byte(tc.text))
			got := ""
			if len(problems) > 0 {
				got = problems.Error()
			}
			if tc.messages == nil && got != "" {
				t.Errorf("refused: %s\n%s", got, tc.text)
			}
			for _, message := range tc.messages {
				if !strings.Contains(got, message) {
					t.Errorf("does not say %q: %s\n%s", message, got, tc.text)
				}
			}
			if given == "a CRD that is no YAML" && strings.Contains(got, "Helm") {
				t.Errorf("speaks of Helm: %s", got)
			}
			if _, problems := CRDs("a.yaml", []byte(tc.text)); (len(problems) > 0) != (got != "") {
				t.Errorf("CRDs says %v, and Import %s", problems, got)
			}
		})
	}
}

// An annotation, a default or an enum may say what an action says. It is text, and is warned of, since it may be none.
func TestImportWarnsOfTextsLikeActions(t *testing.T) {
	for given, tc := range map[string]struct {
		text string
		at   string
	}{
		"an annotation": {with("NOTE", `'{{ .Release.Namespace }}/{{ include "x" . }}'`), "a.yaml:5:35: looks like an action of Helm, and is taken for text: {{ .Release.Namespace }}"},
		"a default":     {with("DEFAULT", "'{{ .Values.url }}'"), "a.yaml:24:44: looks like an action of Helm, and is taken for text: {{ .Values.url }}"},
		"no action":     {with("", ""), ""},
		"no template":   {with("DEFAULT", "'{{ .Values.x }} {{ end }}'"), ""},
	} {
		specs, problems := Import("a.yaml", []byte(tc.text))
		if err := problems.Err(); err != nil || len(specs) != 1 {
			t.Fatalf("%s: %v", given, err)
		}
		if got := specs[0].Warnings; (len(got) > 0) != (tc.at != "") || len(got) > 0 && !strings.HasPrefix(got[0].String(), tc.at) {
			t.Errorf("%s: warnings %v, expected %q", given, got, tc.at)
		}
	}
}
