package reference

import "slices"

// controllerKeys are the keys of a controller's file.
func controllerKeys() []key {
	parents := list(ref("parent"))
	parents.MinItems = 1
	return append(header("Controller"), []key{
		{name: "name", required: true, value: label(),
			means: "the name of the file without `.yaml`; a DNS label, without its dashes the name of a Go package. With the domain of the project it begins the controller's own labels and its finalizer"},
		{name: "parents", required: true, value: parents, means: "list of the kinds that the controller operates, each once"},
		{name: "parentMetadata", value: toggle(false), means: "Sync may set labels and annotations of parents"},
		{name: "acceptWarnings", absent: "none", value: acceptWarnings(), means: "list of the warnings that are meant, of which nothing is said; a controller can be warned of `privileged`"},
		{name: "operator", absent: "no children", value: ref("operator"), means: "what the controller does, as in the file of an API"},
	}...)
}

// parentKeys are the keys of a parent: those that say which kind, and which of its objects.
func parentKeys() []key {
	kind := slices.DeleteFunc(resourceKeys("each resource once"), func(k key) bool { return k.name == "as" })
	return append(kind, []key{
		{name: "labelSelector", absent: "all objects", value: selector(),
			means: "which objects by their labels, in kubectl's syntax, such as `app=web,tier!=db`, or as `{matchLabels, matchExpressions}`"},
		{name: "annotationSelector", absent: "all objects", value: either(&schema{MinLength: 1}, "object", ref("annotationSelector")),
			means: "which objects by their annotations, in the same forms, where `matchAnnotations` may stand for `matchLabels`. A key alone, such as `example.com/managed`, is for objects that have it"},
	}...)
}

// annotationSelectorKeys are the keys of a selector of annotations that is written as Kubernetes objects have one of
// labels.
func annotationSelectorKeys() []key {
	return append(labelSelectorKeys(), key{name: "matchAnnotations", absent: "none", value: textMap(), means: "annotations that objects have"})
}

// annotationSelector has the annotations under one of two names.
func annotationSelector() *schema {
	s := object(annotationSelectorKeys())
	s.AllOf = []*schema{{If: &schema{Required: []string{"matchAnnotations"}}, Then: without("matchLabels")}}
	return s
}
