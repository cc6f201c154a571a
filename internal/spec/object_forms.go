package spec

import (
	"slices"
	"strings"

	"github.com/opgen-dev/opgen/internal/lazyregexp"
)

var apiVersionForm = form{
	pattern: `^([a-z0-9]([-.a-z0-9]*[a-z0-9])?/)?[a-z]([-a-z0-9]*[a-z0-9])?$`,
	expects: "a group and a version, such as v1 or apps/v1", examples: []any{"v1", "apps/v1"},
	check: checkWith(func(text string) bool {
		group, version, grouped := strings.Cut(text, "/")
		if !grouped {
			return isLabel(group)
		}
		return isLabel(version) && isSubdomain(group)
	}, "an apiVersion", "such as v1 or apps/v1"),
}

const exampleGoType = "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1.Certificate"

var goTypeForm = form{
	pattern: `^[A-Za-z0-9._~/-]*[A-Za-z0-9_~-]\.[A-Z][A-Za-z0-9_]*$`,
	expects: "an import path and a type: import/path.Type", examples: []any{exampleGoType},
	check: checkWith(func(text string) bool {
		dot := strings.LastIndex(text, ".")
		return dot >= 0 && goIdentifier().MatchString(text[dot+1:]) && isImportPath(text[:dot])
	}, "a Go type", "such as "+exampleGoType),
}

var goFieldForm = form{
	pattern: `^[A-Z][A-Za-z0-9]*$`, expects: "an exported Go name", examples: []any{"Certificates"},
	check: func(text, _ string) (message, hint string) {
		if asName().MatchString(text) {
			return "", ""
		}
		return quoteShort(text) + " is not an exported Go name", "such as " + nearestKind(text)
	},
}

var objectNameForm = form{
	pattern: `^[^./%\s][^/%\s]*$`, expects: "the name of an object", examples: []any{"app-settings"}, most: 253,
	check: func(name, _ string) (message, hint string) {
		message = quoteShort(name) + " is not the name of an object"
		switch {
		case strings.HasPrefix(name, "."):
			return message, "for a field of the parent write nameFrom: " + name
		case name == "" || len(name) > 253 || strings.ContainsAny(name, "/% \t\n"):
			return message, "such as app-settings, at most 253 characters"
		}
		return "", ""
	},
}

// parentPathForm returns the form of a path of fields in the parent. It cannot select items of
// lists, whose positions change.
func parentPathForm(example string) form {
	return form{
		pattern: `^` + escapedNameSteps + `$`, examples: []any{example},
		expects: "a path of fields of the parent, such as " + example,
		check:   checkParentPath,
	}
}

var (
	nameFromForm     = parentPathForm(".spec.configMapName")
	selectorFromForm = parentPathForm(".spec.selector")
)

func checkParentPath(text, _ string) (message, hint string) {
	hint = "such as .spec.settings"
	switch {
	case escapedPath().MatchString(text):
		return "", ""
	case escapedPath().MatchString("." + text):
		hint = "a path starts with a dot: ." + text
	case strings.Contains(text, "["):
		hint = "items of lists have no path: write dynamic: true, and the Related method says which objects"
	}
	return quoteShort(text) + " is not a path of fields of the parent", hint
}

// handOverPath is a path of fields. A dot in a name is escaped.
var handOverPath = lazyregexp.New(`^` + escapedSteps + `$`)

const escapedSteps = `(\.(\\\.|[^.\[\]\\])+)+`

// handOverForm is the form of a path of fields that a child hands over. Package opcheck checks it
// against the schema of the child.
var handOverForm = form{
	pattern: `^` + escapedSteps + `$`, examples: []any{".spec.replicas"},
	expects: "a path of fields of the child, such as .spec.replicas",
	check:   checkHandOver,
}

func checkHandOver(text, _ string) (message, hint string) {
	notPath := quoteShort(text) + " is not a path of fields of the child"
	switch {
	case handOverPath().MatchString(text):
	case handOverPath().MatchString("." + text):
		return notPath, "a path starts with a dot: ." + text
	case strings.Contains(text, "["):
		return notPath, "items of lists have no path: the list as a whole can be handed over"
	default:
		return notPath, `such as .spec.replicas, or .metadata.annotations.example\.com/owner`
	}
	parts := pathStep().FindAllString(text, -1)
	isEntry := len(parts) == 3 && (parts[1] == ".labels" || parts[1] == ".annotations")
	switch {
	case slices.Contains([]string{".apiVersion", ".kind", ".status"}, parts[0]):
		return text + " cannot be handed over: the operator never changes it", "leave the path out"
	case parts[0] == ".metadata" && !isEntry && text != ".metadata.finalizers":
		return text + " cannot be handed over: the operator's own marks are in the metadata", `name a label or an annotation: .metadata.annotations.example\.com/owner`
	}
	return "", ""
}

// inPlaceForm is the form of a path of labels or annotations that are applied in place.
var inPlaceForm = form{
	pattern: `^\.metadata\.(labels|annotations)(\.(\\\.|[^.\[\]\\])+)?$`, examples: []any{".metadata.labels"},
	expects: "a path of labels or annotations, such as .metadata.labels.role",
	check:   checkInPlace,
}

func checkInPlace(text, _ string) (message, hint string) {
	parts := pathStep().FindAllString(text, -1)
	isText := len(parts) >= 2 && len(parts) <= 3 && parts[0] == ".metadata" && (parts[1] == ".labels" || parts[1] == ".annotations")
	switch {
	case !handOverPath().MatchString(text) && handOverPath().MatchString("."+text):
		return quoteShort(text) + " is not a path of fields of the child", "a path starts with a dot: ." + text
	case isText && handOverPath().MatchString(text):
		return "", ""
	}
	return quoteShort(text) + " is no path of labels or annotations", `such as .metadata.labels, or .metadata.annotations.example\.com/role; everything else of a child waits for its turn`
}

var namespaceForm = form{
	pattern: `^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$`, expects: "the name of a namespace", examples: []any{"kube-system"},
	check: checkWith(isNamespace, "the name of a namespace", "use lower-case letters, digits and -, at most 63 characters"),
}

// pathBelow returns the form of a path of fields below roots: .spec, .status or either. resolvePath
// then checks it against the schema.
func pathBelow(roots, example string) form {
	return form{
		pattern: `^\.(` + roots + `)(\.[^.\[\]]+)+$`, examples: []any{example},
		expects: "a path of fields below ." + strings.ReplaceAll(roots, "|", " or .") + ", such as " + example,
	}
}

var (
	specReplicasForm    = pathBelow("spec", ".spec.replicas")
	statusReplicasForm  = pathBelow("status", ".status.replicas")
	scaleSelectorForm   = pathBelow("spec|status", ".status.selector")
	selectableFieldForm = pathBelow("spec|status", ".spec.mode")
)

var columnPathForm = form{
	pattern: `^\.([^\[]|\[.*\])*$`, expects: "a JSON path, which starts with a dot", examples: []any{".status.phase"},
}

var rulePathForm = form{pattern: `^(\.|\[)`, expects: "a path that starts with a dot", examples: []any{".minReplicas"}}

// minKubernetesForm is a version of Kubernetes.
var minKubernetesForm = form{
	words: kubernetesVersions,
	check: func(version, _ string) (message, hint string) {
		if err := CheckMinKubernetes(version); err != nil {
			return quoteShort(version) + " is not accepted", err.Error()
		}
		return "", ""
	},
}
