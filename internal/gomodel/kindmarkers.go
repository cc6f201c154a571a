package gomodel

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/opgen-dev/opgen/internal/spec"
)

// kindMarkers returns the markers of a kind: names, subresources, columns, and whether its version
// is served, stored or deprecated.
func kindMarkers(k kindVersion) []string {
	names := k.api.Names
	lines := []string{"+kubebuilder:object:root=true"}
	resource := "+kubebuilder:resource:path=" + names.Plural
	if names.Singular != "" {
		resource += ",singular=" + names.Singular
	}
	if len(names.ShortNames) > 0 {
		resource += ",shortName=" + strings.Join(names.ShortNames, ";")
	}
	if len(names.Categories) > 0 {
		resource += ",categories=" + strings.Join(names.Categories, ";")
	}
	lines = append(lines, resource+",scope="+string(k.api.Scope))
	lines = append(lines, annotationMarkers(k.api.Annotations)...)
	if len(k.api.Versions) > 1 && k.version.Storage {
		lines = append(lines, "+kubebuilder:storageversion")
	}
	if k.version.Deprecated {
		line := "+kubebuilder:deprecatedversion"
		if k.version.Warning != nil {
			line += ":warning=" + quoteText(*k.version.Warning)
		}
		lines = append(lines, line)
	}
	if !k.version.Served {
		lines = append(lines, "+kubebuilder:unservedversion")
	}
	if k.version.Subresources.Status {
		lines = append(lines, "+kubebuilder:subresource:status")
	}
	if scale := k.version.Scale; scale != nil {
		line := "+kubebuilder:subresource:scale:specpath=" + scale.SpecReplicas + ",statuspath=" + scale.StatusReplicas
		if scale.LabelSelector != "" {
			line += ",selectorpath=" + scale.LabelSelector
		}
		lines = append(lines, line)
	}
	for _, c := range k.version.Columns {
		lines = append(lines, columnMarker(c))
	}
	for _, path := range k.version.SelectableFields {
		lines = append(lines, "+kubebuilder:selectablefield:JSONPath="+quoteText(path))
	}
	return lines
}

// annotationMarkers returns the markers for annotations of the CRD, except the annotation with
// which controller-gen records its version. There is a marker for labels, too, but no release of
// controller-gen can read it.
func annotationMarkers(annotations map[string]string) []string {
	var lines []string
	for _, key := range slices.Sorted(maps.Keys(annotations)) {
		if key != "controller-gen.kubebuilder.io/version" {
			lines = append(lines, "+kubebuilder:metadata:annotations="+quoteText(key+"="+annotations[key]))
		}
	}
	return lines
}

func columnMarker(c spec.Column) string {
	line := "+kubebuilder:printcolumn:name=" + quoteText(c.Name) + ",type=" + c.Type + ",JSONPath=" + quoteText(c.Path)
	if c.Format != "" {
		line += ",format=" + quoteText(c.Format)
	}
	if c.Description != "" {
		line += ",description=" + quoteText(c.Description)
	}
	if c.Priority != 0 {
		line += ",priority=" + strconv.Itoa(int(c.Priority))
	}
	return line
}
