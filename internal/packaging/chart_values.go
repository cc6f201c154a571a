package packaging

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/opgen-dev/opgen/internal/lazyregexp"
	"github.com/opgen-dev/opgen/internal/yamltext"
)

// value is a value of the chart.
type value struct {
	name, doc string
	preset    any
	schema    map[string]any
}

// valueName returns the key of a part: networkPolicies for network-policies.
func (p Part) valueName() string {
	words := strings.Split(p.Name, "-")
	for i, word := range words[1:] {
		words[i+1] = strings.ToUpper(word[:1]) + word[1:]
	}
	return strings.Join(words, "")
}

// partName matches the names of components that can be keys of values.yaml, and parts of actions.
var partName = lazyregexp.New(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)

// checkParts returns an error that names all components that cannot be values of the chart.
func (c *chart) checkParts() error {
	taken := map[string]bool{"global": true} // Helm's own
	for _, v := range c.ownValues() {
		taken[v.name] = true
	}
	files := map[string]bool{moreFile: true}
	for _, file := range templateFiles {
		files[file.name] = true
	}
	var bad []string
	for _, part := range c.Parts {
		switch {
		case !partName().MatchString(part.Name):
			bad = append(bad, fmt.Sprintf("%q", part.Name))
			continue // it has no key
		case taken[part.valueName()]:
			bad = append(bad, fmt.Sprintf("%q (there is a value %s already)", part.Name, part.valueName()))
		case files[part.Name+".yaml"]:
			bad = append(bad, fmt.Sprintf("%q (there is a template %s.yaml already)", part.Name, part.Name))
		}
		taken[part.valueName()] = true
	}
	if len(bad) == 0 {
		return nil
	}
	return fmt.Errorf("folders of deploy/components that cannot be values of the chart: %s\n    name them in lower-case letters, digits and single hyphens, such as network-policies, or turn them on in the kustomization", strings.Join(bad, ", "))
}

// listValues returns the values in the order of values.yaml.
func (c *chart) listValues() []value {
	list := c.ownValues()
	for _, part := range c.Parts {
		list = append(list, value{part.valueName(), part.Doc, map[string]any{"enabled": false}, objectSchema(map[string]any{"enabled": typeSchema("boolean")})})
	}
	return list
}

// ownValues returns the values that every chart has.
func (c *chart) ownValues() []value {
	text, boolean, object := typeSchema("string"), typeSchema("boolean"), typeSchema("object")
	texts := map[string]any{"type": "object", "additionalProperties": text}
	variable := map[string]any{"type": "object", "required": []any{"name"}, "properties": map[string]any{"name": text}}
	return []value{
		{"image", "The image of the operator. Without a repository, it is " + c.image.repository + ". Without a tag and a digest, it is that of the version of the chart.",
			map[string]any{"repository": "", "tag": "", "digest": "", "pullPolicy": c.defaultOfContainer("IfNotPresent", "imagePullPolicy"), "pullSecrets": []any{}},
			objectSchema(map[string]any{"repository": text, "tag": text, "digest": map[string]any{"type": "string", "pattern": "^(sha256:[0-9a-f]{64})?$"},
				"pullPolicy": map[string]any{"enum": []any{"Always", "IfNotPresent", "Never"}}, "pullSecrets": listSchema(object)})},
		{"replicas", "How many Pods there are. One of them works, the others wait for it to fail.", c.defaultOf(int64(1), "spec", "replicas"), map[string]any{"type": "integer", "minimum": 0}},
		{"resources", "", c.defaultOfContainer(map[string]any{}, "resources"), object},
		{"args", "Arguments of the operator in addition to those of the chart.", []any{}, listSchema(text)},
		{"env", "Environment variables in addition to those of the chart. One with the name of another takes its place.", []any{}, listSchema(variable)},
		{"podLabels", "", map[string]any{}, texts},
		{"podAnnotations", "", map[string]any{}, texts},
		{"nodeSelector", "", map[string]any{}, texts},
		{"tolerations", "", []any{}, listSchema(object)},
		{"affinity", "", map[string]any{}, object},
		{"serviceAccount", "", map[string]any{"annotations": map[string]any{}}, objectSchema(map[string]any{"annotations": texts})},
		{"crds", "With keep, CRDs and all objects of their kinds stay when the release is uninstalled.",
			map[string]any{"install": true, "keep": true}, objectSchema(map[string]any{"install": boolean, "keep": boolean})},
	}
}

func typeSchema(name string) map[string]any { return map[string]any{"type": name} }

func listSchema(items map[string]any) map[string]any {
	return map[string]any{"type": "array", "items": items}
}

func objectSchema(fields map[string]any) map[string]any {
	return map[string]any{"type": "object", "properties": fields}
}

// renderValues returns values.yaml.
func (c *chart) renderValues() string {
	var text strings.Builder
	text.WriteString(generatedComment + "# Values of your own belong into a file of yours: helm install -f, or --set.\n")
	for _, v := range c.listValues() {
		text.WriteString("\n")
		for _, line := range wrapText(v.doc, 100) {
			text.WriteString("# " + line + "\n")
		}
		lines, err := yamltext.Marshal(map[string]any{v.name: v.preset})
		if err != nil {
			lines = fmt.Appendf(nil, "# %s: %v\n", v.name, err) // values are texts, numbers, lists and mappings
		}
		text.Write(lines)
	}
	return text.String()
}

// renderSchema returns values.schema.json.
func (c *chart) renderSchema() (string, error) {
	fields := map[string]any{}
	for _, v := range c.listValues() {
		schema := map[string]any{}
		for key, keyword := range v.schema {
			schema[key] = keyword
		}
		if v.doc != "" {
			schema["description"] = v.doc
		}
		fields[v.name] = schema
	}
	text, err := json.MarshalIndent(map[string]any{
		"$schema": "https://json-schema.org/draft-07/schema#", "type": "object", "properties": fields,
	}, "", "  ")
	return string(text) + "\n", err
}

// renderHelpers returns the named templates.
func (c *chart) renderHelpers() string {
	resources, err := yamltext.Marshal(c.defaultOfContainer(map[string]any{}, "resources"))
	if err != nil {
		resources = []byte("{}\n")
	}
	return strings.NewReplacer("NAME", c.Project.Name, "REPOSITORY", c.image.repository, "DIGEST", c.image.digest, "RESOURCES", strconv.Quote(strings.TrimSpace(string(resources)))).Replace(helpers)
}

const helpers = `{{/* Code generated by opgen. DO NOT EDIT. Each default is here as well, for values of an older chart. */}}
{{- define "NAME.labels" -}}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
app.kubernetes.io/version: {{ include "NAME.labelValue" .Chart.AppVersion }}
helm.sh/chart: {{ include "NAME.labelValue" (printf "%s-%s" .Chart.Name .Chart.Version) }}
{{- end }}

{{/* A text as the value of a label: at most 63 characters, with letters or digits at its ends. */}}
{{- define "NAME.labelValue" -}}
{{- regexReplaceAll "^[^A-Za-z0-9]+|[^A-Za-z0-9]+$" (. | replace "+" "_" | trunc 63) "" | quote }}
{{- end }}

{{- define "NAME.image" -}}
{{- $image := .Values.image | default dict }}
{{- $repository := $image.repository | default "REPOSITORY" }}
{{- $digest := "" }}
{{- if and (not $image.tag) (eq $repository "REPOSITORY") }}
{{- $digest = "DIGEST" }}
{{- end }}
{{- with $image.digest | default $digest }}
{{- printf "%s@%s" $repository . }}
{{- else }}
{{- printf "%s:%s" $repository ($image.tag | default .Chart.AppVersion) }}
{{- end }}
{{- end }}

{{- define "NAME.resources" -}}
{{- if hasKey .Values "resources" }}
{{- toYaml .Values.resources }}
{{- else }}
{{- RESOURCES }}
{{- end }}
{{- end }}

{{/* Labels, annotations: those of the chart, and those of the values in their place and beside them. */}}
{{- define "NAME.merge" -}}
{{- $all := index . 0 }}
{{- range $key, $value := index . 1 }}
{{- $_ := set $all $key $value }}
{{- end }}
{{- toYaml $all }}
{{- end }}

{{- define "NAME.setsVariable" -}}
{{- $name := index . 1 }}
{{- range index . 0 }}
{{- if eq .name $name }}true{{ end }}
{{- end }}
{{- end }}

{{- define "NAME.installsCRDs" -}}
{{- $crds := .Values.crds | default dict }}
{{- if or (not (hasKey $crds "install")) $crds.install }}true{{ end }}
{{- end }}

{{- define "NAME.keepsCRDs" -}}
{{- $crds := .Values.crds | default dict }}
{{- if or (not (hasKey $crds "keep")) $crds.keep }}true{{ end }}
{{- end }}
`

// wrapText breaks a text into lines of at most a width, where it has spaces.
func wrapText(text string, width int) []string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		if line != "" && len(line)+1+len(word) > width {
			lines, line = append(lines, line), ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}
