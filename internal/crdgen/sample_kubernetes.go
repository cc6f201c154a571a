package crdgen

import (
	"slices"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// The shapes of Kubernetes types whose schemas require less than the API server does, or than makes
// sense. They are told by their fields, which no release has renamed, because a Go type of the
// author's may embed any release.
var (
	podSpec   = []string{"containers", "restartPolicy", "nodeName"}
	container = []string{"image", "name", "terminationMessagePath"}
	jobSpec   = []string{"template", "backoffLimit", "completions"}
	workload  = []string{"template", "selector", "replicas"}
	claimSpec = []string{"accessModes", "resources", "storageClassName", "volumeMode"}
	selector  = []string{"matchExpressions", "matchLabels"}
)

// hasFields reports whether a schema has all fields of a shape.
func hasFields(s apiextv1.JSONSchemaProps, shape []string) bool {
	return !slices.ContainsFunc(shape, func(name string) bool { _, found := s.Properties[name]; return !found })
}

// holdsPod reports whether objects of a schema describe Pods: a pod spec itself, or one below spec
// and template.
func holdsPod(s apiextv1.JSONSchemaProps) bool {
	return hasFields(s, podSpec) || holdsPodAt(s, "spec") || holdsPodAt(s, "template")
}

func holdsPodAt(s apiextv1.JSONSchemaProps, field string) bool {
	below, found := s.Properties[field]
	return found && holdsPod(below)
}

// isTemplate reports whether a schema is that of an object to create, with the spec of a Pod in it.
// Its spec is optional in the schema.
func isTemplate(s apiextv1.JSONSchemaProps) bool {
	return len(s.Properties) <= 2 && hasFields(s, []string{"metadata", "spec"}) && holdsPodAt(s, "spec")
}

// completeKubernetes sets the fields that an object of a Kubernetes type needs and its schema does
// not require.
func (s *sampler) completeKubernetes(object map[string]any, schema apiextv1.JSONSchemaProps) {
	switch {
	case hasFields(schema, container):
		object["image"] = "nginx:1.29"
	case isTemplate(schema):
		object["spec"] = s.valueFor("spec", nil, schema.Properties["spec"])
	case hasFields(schema, jobSpec):
		setInPod(object, func(pod map[string]any) {
			pod["restartPolicy"] = "OnFailure"
			for _, c := range listAt(pod, "containers") {
				if c, ok := c.(map[string]any); ok {
					c["image"], c["command"] = "busybox:1.37", []any{"date"}
				}
			}
		})
	case hasFields(schema, workload) && hasFields(schema.Properties["selector"], selector) && holdsPodAt(schema, "template"):
		labelTemplate(object, schema.Properties["template"])
	case hasFields(schema, claimSpec):
		object["accessModes"] = []any{"ReadWriteOnce"}
		object["resources"] = map[string]any{"requests": map[string]any{"storage": "1Gi"}}
	case hasFields(schema, []string{"name"}) && isEmptyDefault(schema.Properties["name"]): // a reference
		object["name"] = "example"
	}
}

// isEmptyDefault reports whether the default of a field is "", as that of the names of references.
func isEmptyDefault(s apiextv1.JSONSchemaProps) bool {
	return s.Default != nil && string(s.Default.Raw) == `""`
}

// setInPod changes the pod spec in the template of an object.
func setInPod(object map[string]any, change func(pod map[string]any)) {
	template, _ := object["template"].(map[string]any)
	if pod, found := template["spec"].(map[string]any); found {
		change(pod)
	}
}

func listAt(object map[string]any, name string) []any {
	list, _ := object[name].([]any)
	return list
}

// labelTemplate has the selector of a workload select its Pods, if the schema of the template keeps
// labels.
func labelTemplate(object map[string]any, template apiextv1.JSONSchemaProps) {
	made, isObject := object["template"].(map[string]any)
	if !isObject || !hasFields(template.Properties["metadata"], []string{"labels"}) {
		return
	}
	made["metadata"] = map[string]any{"labels": map[string]any{"app": "example"}}
	object["selector"] = map[string]any{"matchLabels": map[string]any{"app": "example"}}
}
