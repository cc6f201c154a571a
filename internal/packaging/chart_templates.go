package packaging

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/opgen-dev/opgen/internal/yamltext"
)

// Words that stand for an action until the YAML is written: actions are not YAML.
const (
	namespaceWord = "opgenReleaseNamespace"
	blockWord     = "opgenBlock_" // and the name of a block
)

var blockLine = regexp.MustCompile(`^( *)(- )?(?:[a-zA-Z]+: |)` + blockWord + `([a-zA-Z]+[0-9]*)(?:: "")?$`)

// chartLabels are the labels that the chart itself gives to every object, and keepAnnotation is its annotation of CRDs.
var chartLabels = []string{"app.kubernetes.io/instance", "app.kubernetes.io/managed-by", "app.kubernetes.io/version", "helm.sh/chart"}

const keepAnnotation = "helm.sh/resource-policy"

// renderTemplates returns the templates of objects.
func (c *chart) renderTemplates(objects []*Object) (string, error) {
	var text strings.Builder
	for i, object := range objects {
		if all := fmt.Sprint(object.Object); strings.Contains(all, namespaceWord) || strings.Contains(all, blockWord) {
			return "", fmt.Errorf("%s %s contains %s or %s, words that opgen replaces in charts: choose others", object.GetKind(), object.GetName(), namespaceWord, blockWord)
		}
		one, err := c.renderTemplate(object.DeepCopy())
		if err != nil {
			return "", fmt.Errorf("%s %s: %w", object.GetKind(), object.GetName(), err)
		}
		if object.GetKind() == "CustomResourceDefinition" {
			one = "{{- if include \"" + c.Project.Name + ".installsCRDs\" . }}\n---\n" + one + "{{- end }}\n"
		} else if i > 0 {
			one = "---\n" + one
		}
		text.WriteString(one)
	}
	return text.String(), nil
}

// renderTemplate returns the template of an object, which it changes.
func (c *chart) renderTemplate(object *Object) (string, error) {
	switch {
	case object.GetKind() == "CustomResourceDefinition":
		c.templateCRD(object)
	case nameOf(object) == nameOf(c.manager):
		c.replaceNamespace(object.Object)
		if err := c.templateManager(object); err != nil {
			return "", err
		}
	case object.GetKind() == "ServiceAccount":
		c.replaceNamespace(object.Object)
		c.mergeValues(object.Object, "(.Values.serviceAccount | default dict).annotations", "metadata", "annotations")
	default:
		c.replaceNamespace(object.Object)
	}
	addKey(object.Object, "labels", chartLabels, "metadata", "labels")
	text, err := yamltext.Marshal(object.Object)
	if err != nil {
		return "", err
	}
	return c.writeActions(escapeActions(string(text))), nil
}

// escapeActions returns a text as the template that renders it, since Helm executes what is in {{ }}.
func escapeActions(text string) string { return strings.ReplaceAll(text, "{{", `{{ "{{" }}`) }

// templateCRD templates what is not the schema.
func (c *chart) templateCRD(object *Object) {
	for _, path := range [][]string{{"metadata"}, {"spec", "conversion"}} {
		if part, found, _ := unstructured.NestedMap(object.Object, path...); found {
			c.replaceNamespace(part)
			_ = unstructured.SetNestedMap(object.Object, part, path...) // its parents are maps
		}
	}
	addKey(object.Object, "keepCRDs", []string{keepAnnotation}, "metadata", "annotations")
}

// addKey adds the key of a block to a mapping, which it makes if it is absent. The keys that the block writes are taken
// out: YAML has each key once.
func addKey(object map[string]any, block string, writes []string, path ...string) {
	fields, _, _ := unstructured.NestedMap(object, path...)
	if fields == nil {
		fields = map[string]any{}
	}
	for _, key := range writes {
		delete(fields, key)
	}
	fields[blockWord+block] = ""
	_ = unstructured.SetNestedMap(object, fields, path...) // its parents are maps
}

// mergedBlock is a mapping whose keys values can replace and add.
type mergedBlock struct {
	preset map[string]any
	values string // the expression of the values
}

// mergeValues replaces a mapping of texts by a block that merges it with values.
func (c *chart) mergeValues(object map[string]any, values string, path ...string) {
	preset, _, _ := unstructured.NestedMap(object, path...)
	c.merged = append(c.merged, mergedBlock{preset, values})
	block := map[string]any{fmt.Sprintf("%smerged%d", blockWord, len(c.merged)-1): ""}
	_ = unstructured.SetNestedMap(object, block, path...) // its parents are maps
}

// expression returns the preset and the values as the arguments of the template that merges them.
func (b mergedBlock) expression() string {
	preset := "dict"
	for _, key := range slices.Sorted(maps.Keys(b.preset)) {
		text := fmt.Sprint(b.preset[key])
		value := strconv.Quote(text)
		if strings.Contains(text, namespaceWord) {
			value = fmt.Sprintf("(replace %q .Release.Namespace %s)", namespaceWord, value)
		}
		preset += fmt.Sprintf(" %q %s", key, value)
	}
	return fmt.Sprintf("(list (%s) %s)", preset, b.values)
}

// replaceNamespace replaces the operator's namespace by that of the release.
func (c *chart) replaceNamespace(fields map[string]any) {
	moveNamespace(fields, "", c.Namespace, namespaceWord)
}

// writeActions replaces the words by the actions of Helm that they stand for.
func (c *chart) writeActions(text string) string {
	var result strings.Builder
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if found := blockLine.FindStringSubmatch(line); found != nil {
			result.WriteString(c.renderBlock(found[3], len(found[1])))
			continue
		}
		if whole, isWhole := strings.CutSuffix(line, " "+namespaceWord); isWhole { // a field, or an item of a list
			line = whole + " {{ .Release.Namespace | quote }}"
		}
		result.WriteString(strings.ReplaceAll(line, namespaceWord, "{{ .Release.Namespace }}") + "\n")
	}
	return result.String()
}
