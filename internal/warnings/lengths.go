package warnings

import (
	"fmt"
	"strings"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/opgen-dev/opgen/internal/spec"
)

// maxNames are the kinds whose names are shorter than 253 characters, and how long they may be. Kubernetes adds to some
// of them: a CronJob names its Jobs, and Pods have their Job's and StatefulSet's revision as a label.
var maxNames = []struct {
	group, kind string
	length      int64
}{
	{"", "Namespace", 63}, {"", "Service", 63}, {"apps", "StatefulSet", 52}, {"batch", "CronJob", 52}, {"batch", "Job", 63},
}

// checkNameLengths warns of children whose names may be shorter than that of their parent, which they usually contain.
func (w *warner) checkNameLengths() {
	limit := w.nameLimit()
	for i, c := range w.api.Operator.Children {
		group, _, isGrouped := strings.Cut(c.APIVersion, "/")
		if !isGrouped {
			group = ""
		}
		for _, of := range maxNames {
			if of.group == group && of.kind == c.Kind && limit > of.length && !c.PruneOnly {
				w.addAtKey(spec.WarnLongNames, fmt.Sprintf("operator.children[%d].kind", i),
					fmt.Sprintf("the name of a %s has at most %d characters, and that of its parent %s up to %d: the API server refuses the child of one with a longer name", c.Kind, of.length, w.api.Names.Kind, limit),
					fmt.Sprintf("write maxNameLength: %d, or less if Sync adds to the name, beside names; or shorten names by operator.Shorten, and accept the warning", of.length))
			}
		}
	}
}

// nameLimit returns how long the names of objects may be in every version, as far as a schema says. A rule about the
// name is taken for a limit.
func (w *warner) nameLimit() (limit int64) {
	for _, version := range w.crd.Spec.Versions {
		limit = max(limit, limitIn(version.Schema.OpenAPIV3Schema))
	}
	return limit
}

func limitIn(root *apiextv1.JSONSchemaProps) int64 {
	for _, rule := range root.XValidations {
		if strings.Contains(rule.Rule, "metadata.name") {
			return 0
		}
	}
	if name := root.Properties["metadata"].Properties["name"]; name.MaxLength != nil {
		return *name.MaxLength
	} else if name.Pattern != "" {
		return 0
	}
	return 253
}
