package packaging

import (
	"fmt"
	"slices"
	"strings"

	"github.com/opgen-dev/opgen/internal/tree"
	"github.com/opgen-dev/opgen/internal/yamltext"
)

// ChartDir is the folder of the chart in a project.
const ChartDir = "dist/chart"

// templateFile is a file of a chart with templates of some kinds.
type templateFile struct {
	name  string
	kinds []string
}

// templateFiles are the files of objects by their kinds. Objects of other kinds, which the author's kustomization adds,
// are in more.yaml.
var templateFiles = []templateFile{
	{"crds.yaml", []string{"CustomResourceDefinition"}},
	{"rbac.yaml", []string{"ServiceAccount", "Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding"}},
	{"manager.yaml", []string{"Deployment", "PodDisruptionBudget", "PriorityClass", "Service"}},
	{"webhooks.yaml", []string{"MutatingWebhookConfiguration", "ValidatingWebhookConfiguration", "Issuer", "Certificate"}},
}

const moreFile = "more.yaml"

// Chart returns a Helm chart, for Helm 3 and 4. Its templates have the default of each value as well, so that they also
// render with the values of an older chart (helm upgrade --reuse-values). The namespace is that of the release: the
// chart makes none.
func Chart(o *Operator) ([]tree.File, error) {
	c := &chart{Operator: o, image: newChartImage(o)}
	if err := c.checkParts(); err != nil {
		return nil, err
	}
	files := map[string]string{"Chart.yaml": "", "values.yaml": c.renderValues(), "values.schema.json": "", "templates/_helpers.tpl": c.renderHelpers(), "templates/NOTES.txt": c.renderNotes()}
	var err error
	if files["Chart.yaml"], err = c.renderMetadata(); err != nil {
		return nil, err
	}
	if files["values.schema.json"], err = c.renderSchema(); err != nil {
		return nil, err
	}
	rest := slices.DeleteFunc(slices.Clone(o.Objects), func(object *Object) bool { // another Namespace is an object as any
		return object.GetKind() == "Namespace" && object.GetName() == o.Namespace
	})
	for _, file := range append(slices.Clone(templateFiles), templateFile{name: moreFile}) {
		objects := ofKind(rest, file.kinds...)
		if file.kinds == nil {
			objects = rest
		}
		if len(objects) == 0 {
			continue
		}
		rest = slices.DeleteFunc(rest, func(object *Object) bool { return slices.Contains(file.kinds, object.GetKind()) })
		if files["templates/"+file.name], err = c.renderTemplates(objects); err != nil {
			return nil, err
		}
	}
	for _, part := range o.Parts {
		text, err := c.renderTemplates(part.Objects)
		if err != nil {
			return nil, err
		}
		files["templates/"+part.Name+".yaml"] = fmt.Sprintf("{{- if (.Values.%s | default dict).enabled }}\n%s{{- end }}\n", part.valueName(), text)
	}
	var list []tree.File
	for name, text := range files {
		list = append(list, tree.File{Path: ChartDir + "/" + name, Content: []byte(text)})
	}
	slices.SortFunc(list, func(a, b tree.File) int { return strings.Compare(a.Path, b.Path) })
	return list, nil
}

// chart is a chart that is being made.
type chart struct {
	*Operator
	image     chartImage
	merged    []mergedBlock // in the order of their numbers
	variables []string      // the environment variables of the chart, likewise
}

// renderMetadata returns Chart.yaml.
func (c *chart) renderMetadata() (string, error) {
	p := c.Project.Package
	fields := map[string]any{
		"apiVersion": "v2", "type": "application", "name": c.Project.Name, "version": c.Version, "appVersion": c.image.appVersion,
		"description": c.description(), "kubeVersion": ">= " + c.Project.MinKubernetes + ".0-0",
	}
	if p.URL != "" {
		fields["home"] = p.URL
	}
	if len(p.Keywords) > 0 {
		fields["keywords"] = p.Keywords
	}
	if maintainers := c.maintainers(); len(maintainers) > 0 {
		fields["maintainers"] = maintainers
	}
	text, err := yamltext.Marshal(fields)
	return generatedComment + string(text), err
}

// renderNotes returns what helm prints after an installation.
func (c *chart) renderNotes() string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s {{ .Chart.AppVersion }} runs in the namespace {{ .Release.Namespace }}.\n", escapeActions(c.displayName()))
	if labels := c.podSecurity(); labels != "" {
		fmt.Fprintf(&text, "\nIts Pods fit the restricted Pod Security Standard. To have it enforced there:\n\n  kubectl label namespace {{ .Release.Namespace }} %s\n", escapeActions(labels))
	}
	if len(ofKind(c.Objects, "CustomResourceDefinition")) > 0 {
		text.WriteString(strings.ReplaceAll(crdNotes, "NAME", c.Project.Name))
	}
	return text.String()
}

// crdNotes say what an uninstall does to the CRDs.
const crdNotes = `
{{ if or (include "NAME.keepsCRDs" .) (not (include "NAME.installsCRDs" .)) -}}
The CRDs and all objects of their kinds stay when you uninstall the release.
{{- else -}}
Since crds.keep is false, helm uninstall deletes the CRDs, and with them all objects of their kinds.
{{- end }}
`

// podSecurity returns the labels of the namespace that enforce a Pod Security Standard.
func (c *chart) podSecurity() string {
	for _, namespace := range ofKind(c.Objects, "Namespace") {
		if level := namespace.GetLabels()["pod-security.kubernetes.io/enforce"]; level != "" && namespace.GetName() == c.Namespace {
			return "pod-security.kubernetes.io/enforce=" + level
		}
	}
	return ""
}
