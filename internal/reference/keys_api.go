package reference

import (
	"go/token"
	"go/types"
	"slices"

	"github.com/opgen-dev/opgen/internal/spec"
)

// apiKeys are the keys of an API file.
func apiKeys() []key {
	group := matching(dottedName, "a DNS name in lower case that is yours alone, such as demo.example.com", "demo.example.com")
	group.MaxLength = 253
	return append(header("API"), []key{
		{name: "group", required: true, value: group, means: "API group, a DNS name with a dot"},
		{name: "names", required: true, value: ref("names"), means: "what the kind is called"},
		{name: "scope", value: word(spec.Namespaced, spec.Cluster).withDefault(spec.Namespaced), means: "`Namespaced` or `Cluster`"},
		{name: "versions", required: true, value: versions(), means: "list of the versions, at least one"},
		{name: "operator", absent: "no controller", value: ref("operator"), means: "what the controller does"},
	}...)
}

// nameKeys are the keys under names.
func nameKeys() []key {
	return []key{
		{name: "kind", required: true, value: kindOf("EchoServer"), means: "letters and digits, starting with a capital"},
		{name: "plural", absent: "the English plural of the kind", value: label(), means: "the resource in URLs and in RBAC; a DNS label"},
		{name: "singular", absent: "the kind in lower case", value: label(), means: "the name that `kubectl` takes for one object; a DNS label"},
		{name: "listKind", absent: "the kind and `List`", value: kindOf("EchoServerList"), means: "the kind of lists"},
		{name: "shortNames", absent: "none", value: labels(), means: "list of names that `kubectl` takes too; DNS labels"},
		{name: "categories", absent: "none", value: labels(), means: "list of groups of kinds that `kubectl get` shows together; DNS labels"},
	}
}

// versions is the list of versions: one of them served, and one of them stored. That it is one only is beyond
// draft-07.
func versions() *schema {
	s := list(ref("version"))
	s.MinItems = 1
	s.AllOf = []*schema{
		{Contains: unlessFalse("served")},
		{
			If:   &schema{MinItems: 2},
			Then: &schema{Contains: when("storage", &schema{Const: true})},
			Else: &schema{Contains: unlessFalse("storage")},
		},
	}
	return s
}

// unlessFalse accepts an object in which a flag is true or left out.
func unlessFalse(name string) *schema {
	return &schema{Properties: map[string]*schema{name: {Const: true}}}
}

// versionKeys are the keys of a version.
func versionKeys() []key {
	name := matching(`^[a-z][a-z0-9]{0,62}$`, "lower-case letters and digits, such as v1alpha1", "v1alpha1")
	name.Not = word(noPackageNames()...)
	return []key{
		{name: "name", required: true, value: name, means: "lower-case letters and digits: it names a Go package"},
		{name: "served", value: toggle(true), means: "the API server serves it"},
		{name: "storage", absent: "`true` when alone", value: boolean(), means: "objects are stored in it; exactly one version has it"},
		{name: "description", absent: "none", value: text(), means: "what the kind is, which `kubectl explain` shows"},
		{name: "spec", absent: "none", value: ref("schema"), means: "the schema of what users want; an object, unless it says otherwise"},
		{name: "status", absent: "none", value: ref("schema"), means: "the schema of what is; an object, unless it says otherwise. A kind with an operator has the standard status even without this key"},
		{name: "standardStatus", value: toggle(true),
			means: "`conditions` (a list map of `meta/v1.Condition` with the key `type`) and `observedGeneration` (int64) are added to the status unless it defines them"},
		{name: "columns", absent: "none", value: list(ref("column")), means: "list of the columns of `kubectl get`"},
		{name: "scale", absent: "none", value: ref("scale"), means: "the scale subresource"},
		{name: "selectableFields", absent: "none", value: list(pathBelow("spec|status", ".spec.mode")),
			means: "list of paths that field selectors may use"},
	}
}

// noPackageNames are the words of Go that a version, which names a package, cannot have as its name.
func noPackageNames() []string {
	names := []string{"internal", "vendor", "testdata", "main"}
	for t := token.BREAK; t <= token.VAR; t++ {
		names = append(names, t.String())
	}
	for _, name := range types.Universe.Names() {
		if name[0] >= 'a' {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// columnKeys are the keys of a column.
func columnKeys() []key {
	return []key{
		{name: "name", required: true, value: text(), means: "the heading"},
		{name: "path", required: true, value: matching(`^\.([^\[]|\[.*\])*$`, "a JSON path, which starts with a dot", ".status.phase"), means: "JSON path of what the column shows"},
		{name: "type", absent: "taken from the schema", value: word("string", "integer", "number", "boolean", "date"),
			means: "`string`, `integer`, `number`, `boolean` or `date`"},
		{name: "format", absent: "none", value: word("int32", "int64", "float", "double", "byte", "date", "date-time", "password"),
			means: "`int32`, `int64`, `float`, `double`, `byte`, `date`, `date-time` or `password`"},
		{name: "description", absent: "none", value: text(), means: "what the column shows, for people"},
		{name: "priority", value: &schema{Type: "integer", Minimum: new(0), Maximum: new(1<<31 - 1), Default: 0},
			means: "above 0: shown by `kubectl get -o wide` only"},
	}
}

// scaleKeys are the keys under scale.
func scaleKeys() []key {
	return []key{
		{name: "specReplicas", required: true, value: pathBelow("spec", ".spec.replicas"), means: "path of the integer that scaling sets, below `.spec`"},
		{name: "statusReplicas", required: true, value: pathBelow("status", ".status.replicas"), means: "path of the integer that is observed, below `.status`"},
		{name: "labelSelector", absent: "none", value: pathBelow("spec|status", ".status.selector"),
			means: "path of the text that selects the pods, for autoscalers"},
	}
}
