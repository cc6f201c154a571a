package spec

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Warning is the name of a warning about something that Kubernetes accepts, but that causes trouble
// later. A file accepts it by name: acceptWarnings: [floats].
type Warning string

// The warnings.
const (
	WarnAutoscalers   Warning = "autoscalers"
	WarnFloats        Warning = "floats"
	WarnGroup         Warning = "group"
	WarnLists         Warning = "lists"
	WarnLongNames     Warning = "longNames"
	WarnMarkers       Warning = "markers"
	WarnNames         Warning = "names"
	WarnNamespaces    Warning = "namespaces"
	WarnNonASCII      Warning = "nonASCII"
	WarnPrivileged    Warning = "privileged"
	WarnReadiness     Warning = "readiness"
	WarnRequired      Warning = "required"
	WarnSecrets       Warning = "secrets"
	WarnServed        Warning = "served"
	WarnSize          Warning = "size"
	WarnUnsatisfiable Warning = "unsatisfiable"
	WarnVersions      Warning = "versions"
)

// warningTable has all warnings, sorted, with their meaning in Markdown.
var warningTable = []struct {
	name Warning
	doc  string
}{
	{WarnAutoscalers, "a HorizontalPodAutoscaler and a workload with `replicas` are children, and the workload does not hand over `.spec.replicas`: the two change it in turns, or it falls to 1 once Sync leaves it out"},
	{WarnFloats, "a field is a floating point number (`number`): clients round it differently"},
	{WarnGroup, "the group is one of Kubernetes, and the annotation `api-approved.kubernetes.io` says that the API is not approved"},
	{WarnLists, "a list of the `spec` whose items are told apart by keys or by value has no `maxItems`: a child with 10,000 such items takes a worker about 0.1 s whenever somebody changes it"},
	{WarnLongNames, "children are of a kind whose names are shorter than those that their parent may have, such as Services with 63 characters: set `maxNameLength`, or shorten names by `operator.Shorten`"},
	{WarnMarkers, "an author's Go types lack `+kubebuilder:object:root=true` or a list type, which opgen makes up for; they have `+enum`, which has no effect; or they write their JSON themselves and do not say what"},
	{WarnNames, "the plural, the singular or a short name is that of a kind of Kubernetes to `kubectl`"},
	{WarnNamespaces, "`namespaces` of a kind of children no longer has a namespace that it had, and nothing would prune the children there: an error unless it is accepted"},
	{WarnNonASCII, "the name of a field has letters beyond ASCII"},
	{WarnPrivileged, "a child grants rights, decides over other objects, adds kinds, or may be in any namespace although its parent is in one; a rule under `rbac` [permits more than it names](#dangerous-permissions)"},
	{WarnReadiness, "a kind of children is ready by the condition `Ready`, which it may not have: it is a kind of others, or one of the project whose status has no `conditions`. Without `readyWhen`, its parents may never become ready"},
	{WarnRequired, "a required field is not declared, so that no object is valid, or has a default, so that it is not required"},
	{WarnSecrets, "the author of a parent chooses whose Secrets Sync reads, by a namespace or by a name in all namespaces; or the role lets the operator list and watch every Secret"},
	{WarnServed, "no version is served"},
	{WarnSize, "the CRD is larger than `kubectl apply` takes without `--server-side` (256 KiB), or than etcd stores by default (1.5 MiB)"},
	{WarnUnsatisfiable, "limits that cross, an enum with a value twice or of another type, a default with an item twice, a path that leads to no field: errors unless they are accepted. Import accepts them where the CRD has such an enum or path"},
	{WarnVersions, "a field is lost between two versions that nothing converts"},
}

// Warnings returns all warnings, sorted.
func Warnings() []Warning {
	names := make([]Warning, len(warningTable))
	for i, row := range warningTable {
		names[i] = row.name
	}
	return names
}

// Means returns what a warning is about, in Markdown.
func (w Warning) Means() string {
	for _, row := range warningTable {
		if row.name == w {
			return row.doc
		}
	}
	return ""
}

// acceptDoc is the meaning of acceptWarnings for an API, in Markdown.
var acceptDoc = func() string {
	names := make([]string, len(warningTable))
	for i, row := range warningTable {
		names[i] = "`" + string(row.name) + "`"
	}
	return "list of the warnings that are meant, of which nothing is said: " + strings.Join(names, ", ")
}()

// warningNames accepts the warnings that a file accepts.
func warningNames(into *[]Warning) value {
	return distinctList(into, func(name string) string { return name }, func(w *Warning) value { return oneWord(w, Warnings()...) })
}

// acceptsWarning reports whether a file accepts a warning, before its keys are decoded.
func acceptsWarning(root *yaml.Node, w Warning) bool {
	_, list := lookupKey(root, "acceptWarnings")
	return list != nil && slices.ContainsFunc(list.Content, func(n *yaml.Node) bool { return n.Value == string(w) })
}
