package reference

import (
	"strings"

	"github.com/opgen-dev/opgen/internal/spec"
)

// warningMeans says in Markdown what a file is warned of.
var warningMeans = map[spec.Warning]string{
	spec.WarnFloats:        "a field is a floating point number (`number`): clients round it differently",
	spec.WarnGroup:         "the group is one of Kubernetes, and the annotation `api-approved.kubernetes.io` says that the API is not approved",
	spec.WarnMarkers:       "an author's Go types lack `+kubebuilder:object:root=true` or a list type, which opgen makes up for",
	spec.WarnNames:         "the plural, the singular or a short name is that of a kind of Kubernetes to `kubectl`",
	spec.WarnNonASCII:      "the name of a field has letters beyond ASCII",
	spec.WarnPrivileged:    "a child grants rights, decides over other objects or adds kinds",
	spec.WarnRequired:      "a required field is not declared, so that no object is valid, or has a default, so that it is not required",
	spec.WarnUnsatisfiable: "limits that cross, an enum with a value twice or of another type, a default with an item twice, a path that leads to no field: errors unless they are accepted. Import accepts them where the CRD has such an enum or path",
	spec.WarnServed:        "no version is served",
	spec.WarnSize:          "the CRD is larger than `kubectl apply` takes without `--server-side` (256 KiB), or than etcd stores by default (1.5 MiB)",
	spec.WarnVersions:      "a field is lost between two versions that nothing converts",
}

// acceptWarnings is a list of warnings, each once.
func acceptWarnings() *schema {
	s := list(word(spec.Warnings()...))
	s.UniqueItems = true
	return s
}

func warningNames() string {
	names := make([]string, len(spec.Warnings()))
	for i, w := range spec.Warnings() {
		names[i] = "`" + string(w) + "`"
	}
	return strings.Join(names, ", ")
}
