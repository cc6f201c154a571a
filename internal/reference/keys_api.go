package reference

import (
	"fmt"
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
		{name: "metadata", absent: "none", value: ref("metadata"), means: "annotations and labels of the CRD"},
		{name: "conversion", absent: "none", value: ref("conversion"), means: "how objects are converted between versions, as in a CRD"},
		{name: "embeddedMetadata", value: toggle(true), means: "where a Kubernetes type or a Go type holds an object, such as a pod template, the schema names the `name`, " +
			"`namespace`, `labels`, `annotations` and `finalizers` of its metadata; with `false` it names none, and the API server drops them all"},
		{name: "types", absent: "none", value: ref("types"), means: "schemas with a name of their own, to be used by it anywhere in the file"},
		{name: "acceptWarnings", absent: "none", value: acceptWarnings(), means: "list of the warnings that are meant, of which nothing is said: " + warningNames()},
		{name: "versions", required: true, value: versions(), means: "list of the versions, at least one"},
		{name: "operator", absent: "no controller", value: ref("operator"), means: "what the controller does"},
	}...)
}

// typesKeys are the keys of a file of types.
func typesKeys() []key {
	return append(header("Types"), key{name: "types", required: true, value: ref("types"),
		means: "schemas with a name of their own, to be used by it in every API of the project"})
}

// metadataKeys are the keys under metadata.
func metadataKeys() []key {
	return []key{
		{name: "annotations", absent: "none", value: textMap(), means: "annotations of the CRD"},
		{name: "labels", absent: "none", value: textMap(), means: "labels of the CRD"},
	}
}

func textMap() *schema { return &schema{Type: "object", AdditionalProperties: text()} }

// orEmpty accepts the empty text too, which leaves a name out of the CRD.
func orEmpty(s *schema) *schema {
	return &schema{Type: "string", Pattern: "^$|" + s.Pattern, PatternReason: s.PatternReason}
}

// anyKind accepts every kind that a CRD can have.
func anyKind() *schema {
	return matching(`^[A-Za-z]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$`, "letters, digits and -, starting with a letter, at most 63 characters", "EchoServer")
}

// nameKeys are the keys under names.
func nameKeys() []key {
	return []key{
		{name: "kind", required: true, value: anyKind(), means: "letters and digits, starting with a capital; with `goKind`, letters, digits and -"},
		{name: "goKind", absent: "the kind", value: kindOf("EchoServer"), means: "the Go type, for kinds that cannot be one, such as `postgresql`"},
		{name: "plural", absent: "the English plural of the kind", value: label(), means: "the resource in URLs and in RBAC; a DNS label"},
		{name: "singular", absent: "the kind in lower case", value: orEmpty(label()), means: "the name that `kubectl` takes for one object; a DNS label. `\"\"` leaves it to the API server"},
		{name: "listKind", absent: "the kind and `List`", value: orEmpty(anyKind()), means: "the kind of lists. `\"\"` leaves it to the API server"},
		{name: "shortNames", absent: "none", value: labels(), means: "list of names that `kubectl` takes too; DNS labels"},
		{name: "categories", absent: "none", value: labels(), means: "list of groups of kinds that `kubectl get` shows together; DNS labels"},
	}
}

// kindNames are the names of a kind. One that cannot be a Go type takes a goKind.
func kindNames() *schema {
	s := object(nameKeys())
	s.If = when("goKind", &schema{})
	s.Then = &schema{}
	s.Else = &schema{Properties: map[string]*schema{
		"kind": kindOf("EchoServer"), "listKind": orEmpty(kindOf("EchoServerList")),
	}}
	return s
}

// versions is the list of versions, one of them stored. That it is one only is beyond
// draft-07.
func versions() *schema {
	s := list(ref("version"))
	s.MinItems = 1
	s.AllOf = []*schema{
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
		{name: "goTypes", value: toggle(false), means: "the Go types of the version are yours, with kubebuilder markers: its schema, columns, scale, subresources and selectable fields come from them, and none of these keys stands here"},
		{name: "served", value: toggle(true), means: "the API server serves it"},
		{name: "deprecated", value: toggle(false), means: "`kubectl` warns users of the version"},
		{name: "deprecationWarning", absent: "the API server's own", value: text(), means: "the text of that warning"},
		{name: "storage", absent: "`true` when alone", value: boolean(), means: "objects are stored in it; exactly one version has it"},
		{name: "description", absent: "none", value: text(), means: "what the kind is, which `kubectl explain` shows"},
		{name: "schema", absent: "none", value: ref("schema"),
			means: "what else the object has: its fields beside `spec` and `status`, rules for the whole object, `required` (else `spec`, when one of its own fields is required)"},
		{name: "standardRoot", value: toggle(true), means: "`apiVersion`, `kind` and `metadata` are added to the object unless `schema` has them"},
		{name: "spec", absent: "none", value: ref("schema"), means: "the schema of what users want; an object, unless it says otherwise"},
		{name: "status", absent: "none", value: ref("schema"), means: "the schema of what is; an object, unless it says otherwise. A kind with an operator has the standard status even without this key"},
		{name: "standardStatus", value: toggle(true),
			means: "`conditions` (a list map of `meta/v1.Condition` with the key `type`) and `observedGeneration` (int64) are added to the status unless it defines them"},
		{name: "subresources", absent: "status, when there is one", value: ref("subresources"), means: "which subresources there are beside scale; `{}` is an empty list of them in the CRD"},
		{name: "columns", absent: "none", value: list(ref("column")), means: "list of the columns of `kubectl get`"},
		{name: "scale", absent: "none", value: ref("scale"), means: "the scale subresource"},
		{name: "selectableFields", absent: "none", value: list(pathBelow("spec|status", ".spec.mode")),
			means: "list of paths that field selectors may use"},
	}
}

// version is a version: what comes from its Go types does not stand beside goTypes: true.
func version() *schema {
	s := object(versionKeys())
	s.If = when("goTypes", &schema{Const: true})
	s.Then = &schema{Properties: map[string]*schema{}}
	for _, key := range []string{
		"spec", "status", "schema", "description", "standardStatus", "standardRoot", "columns", "scale", "subresources", "selectableFields",
	} {
		s.Then.Properties[key] = never()
	}
	return s
}

// subresourceKeys are the keys under subresources.
func subresourceKeys() []key {
	return []key{{name: "status", absent: "none", value: boolean(), means: "objects have the status subresource"}}
}

// noPackageNames are the words of Go that a version, which names a package, cannot have as its name.
func noPackageNames() []string {
	names := []string{"internal", "vendor", "testdata", "main", "aux", "con", "nul", "prn"}
	for n := 1; n < 10; n++ {
		names = append(names, fmt.Sprintf("com%d", n), fmt.Sprintf("lpt%d", n))
	}
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
