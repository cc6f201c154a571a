package packaging

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/opgen-dev/opgen/internal/image"
)

// chartImage is the image of the operator, as values of a chart.
type chartImage struct{ repository, digest, appVersion string }

// newChartImage splits the image of a release. Its tag is the version of the application, so that an upgrade with the
// values of before gets the new one.
func newChartImage(o *Operator) chartImage {
	repository, tag, digest := image.SplitReference(o.Image)
	if tag == "" {
		tag = strings.ReplaceAll(o.Version, "+", "_") // a tag has no +
	}
	return chartImage{repository, digest, tag}
}

// templateManager puts blocks for values into the Deployment.
func (c *chart) templateManager(object *Object) error {
	pod, found, err := unstructured.NestedMap(object.Object, "spec", "template", "spec")
	if err != nil || !found {
		return errors.New("has no template of a Pod")
	}
	containers, _ := pod["containers"].([]any)
	container := c.findContainer(containers)
	if container == nil {
		return fmt.Errorf("no container has the image %s", c.Image)
	}
	container["image"], container["imagePullPolicy"], container["resources"] = blockWord+"image", blockWord+"imagePullPolicy", blockWord+"resources"
	arguments, _ := container["args"].([]any)
	container["args"] = append(arguments, blockWord+"args")
	container["env"] = c.templateVariables(container["env"])
	for _, key := range []string{"nodeSelector", "tolerations", "affinity", "imagePullSecrets"} {
		if _, isSet := pod[key]; !isSet { // what the author's patches set is no value of the chart
			pod[key] = blockWord + key
		}
	}
	if err := unstructured.SetNestedMap(object.Object, pod, "spec", "template", "spec"); err != nil {
		return err
	}
	c.mergeValues(object.Object, ".Values.podLabels", "spec", "template", "metadata", "labels")
	c.mergeValues(object.Object, ".Values.podAnnotations", "spec", "template", "metadata", "annotations")
	return unstructured.SetNestedField(object.Object, blockWord+"replicas", "spec", "replicas")
}

// templateVariables returns the environment variables of the chart and those of values, which take the place of the
// chart's with their names: server-side apply refuses a name that is there twice.
func (c *chart) templateVariables(chart any) []any {
	var list []any
	variables, _ := chart.([]any)
	for _, item := range variables {
		variable, _ := item.(map[string]any)
		c.variables = append(c.variables, fmt.Sprint(variable["name"]))
		list = append(list, fmt.Sprintf("%sunlessSet%d", blockWord, len(c.variables)-1), item, blockWord+"end")
	}
	return append(list, blockWord+"env")
}

// findContainer returns the container with the operator's image.
func (c *chart) findContainer(containers []any) map[string]any {
	for _, item := range containers {
		container, _ := item.(map[string]any)
		reference, _ := container["image"].(string)
		if repository, _, _ := image.SplitReference(reference); repository != "" && repository == c.image.repository {
			return container
		}
	}
	return nil
}

// defaultOf returns a field of the manager's Deployment, and what stands in its place if it has none.
func (c *chart) defaultOf(absent any, path ...string) any {
	value, found, err := unstructured.NestedFieldNoCopy(c.manager.Object, path...)
	if err != nil || !found {
		return absent
	}
	return value
}

// defaultOfContainer returns a field of the operator's container.
func (c *chart) defaultOfContainer(absent any, key string) any {
	containers, _ := c.defaultOf(nil, "spec", "template", "spec", "containers").([]any)
	if value, isSet := c.findContainer(containers)[key]; isSet {
		return value
	}
	return absent
}

// renderBlock returns the lines of a block, at an indentation. Those of a sort that may be there several times have a number.
func (c *chart) renderBlock(name string, indent int) string {
	pad, helper := strings.Repeat(" ", indent), c.Project.Name
	mapping := func(expression string) string { // keys at the indentation
		return fmt.Sprintf("%[1]s{{- with %[2]s }}\n%[1]s{{- toYaml . | nindent %[3]d }}\n%[1]s{{- end }}\n", pad, expression, indent)
	}
	if number, found := numberOf(name, "merged"); found {
		return fmt.Sprintf("%s{{- include \"%s.merge\" %s | nindent %d }}\n", pad, helper, c.merged[number].expression(), indent)
	}
	if number, found := numberOf(name, "unlessSet"); found {
		return fmt.Sprintf("%s{{- if not (include \"%s.setsVariable\" (list .Values.env %q)) }}\n", pad, helper, c.variables[number])
	}
	switch name {
	case "labels":
		return fmt.Sprintf("%s{{- include \"%s.labels\" . | nindent %d }}\n", pad, helper, indent)
	case "keepCRDs":
		return fmt.Sprintf("%[1]s{{- if include \"%[2]s.keepsCRDs\" . }}\n%[1]shelm.sh/resource-policy: keep\n%[1]s{{- end }}\n", pad, helper)
	case "args", "env":
		return mapping(".Values." + name)
	case "end":
		return pad + "{{- end }}\n"
	case "image":
		return fmt.Sprintf("%simage: {{ include \"%s.image\" . | quote }}\n", pad, helper)
	case "imagePullPolicy":
		return fmt.Sprintf("%simagePullPolicy: {{ (.Values.image | default dict).pullPolicy | default %q }}\n", pad, fmt.Sprint(c.defaultOfContainer("IfNotPresent", name)))
	case "replicas":
		return fmt.Sprintf("%[1]s{{- if hasKey .Values \"replicas\" }}\n%[1]sreplicas: {{ .Values.replicas }}\n%[1]s{{- else }}\n%[1]sreplicas: %[2]v\n%[1]s{{- end }}\n",
			pad, escapeActions(fmt.Sprint(c.defaultOf(int64(1), "spec", "replicas"))))
	case "resources":
		return fmt.Sprintf("%sresources:\n%s  {{- include \"%s.resources\" . | nindent %d }}\n", pad, pad, helper, indent+2)
	case "imagePullSecrets":
		return fmt.Sprintf("%[1]s{{- with (.Values.image | default dict).pullSecrets }}\n%[1]simagePullSecrets:\n%[1]s{{- toYaml . | nindent %[2]d }}\n%[1]s{{- end }}\n", pad, indent)
	}
	return fmt.Sprintf("%[1]s{{- with .Values.%[2]s }}\n%[1]s%[2]s:\n%[1]s  {{- toYaml . | nindent %[3]d }}\n%[1]s{{- end }}\n", pad, name, indent+2)
}

// numberOf returns the number of a block of a sort.
func numberOf(block, sort string) (number int, found bool) {
	text, found := strings.CutPrefix(block, sort)
	if !found {
		return 0, false
	}
	number, err := strconv.Atoi(text)
	return number, err == nil
}
