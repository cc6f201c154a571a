package reference

import "github.com/opgen-dev/opgen/internal/spec"

const formatVersion = spec.FormatVersion

// projectKeys are the keys of opgen.yaml.
func projectKeys() []key {
	name := label()
	name.MaxLength, name.Examples = 56, []any{"echo-operator"}
	return append(header("Project"), []key{
		{name: "name", required: true, value: name,
			means: "names the Deployment, the namespace `<name>-system` and the field manager; a DNS label of at most 56 characters"},
		{name: "module", required: true, means: "path of the Go module",
			value: matching(`^[A-Za-z0-9_~-][A-Za-z0-9._~-]*(/[A-Za-z0-9._~-]+)*$`, "the path of a Go module", "example.com/echo-operator")},
		{name: "domain", absent: "none", means: "DNS suffix that `create api` completes a group without a dot with",
			value: matching(dnsName, "a DNS name in lower case", "example.com")},
		{name: "watch", value: word(spec.WatchCluster, spec.WatchNamespace).withDefault(spec.WatchCluster),
			means: "`cluster`: every namespace, with a ClusterRole; `namespace`: the operator's own namespace, with a Role"},
		{name: "multigroup", value: toggle(false),
			means: "`true` puts Go types into `api/<group>/<version>`, which several groups need"},
		{name: "minKubernetes", value: word("1.29", "1.30", "1.31", "1.32", "1.33", "1.34", "1.35", "1.36", "1.37").withDefault(spec.DefaultMinKubernetes),
			means: `the oldest Kubernetes that CRDs must work on, from "1.29" to "1.37", quoted; selects the CEL environment that rules are checked in`},
		{name: "clients", value: toggle(false),
			means: "`true` generates typed clients into `client/`: clientset, listers, informers and apply configurations"},
		{name: "maxDescLen", absent: "all", value: count(),
			means: "how many characters of each description the CRDs in `deploy/` have at the most, cut at the end of a sentence where there is one; `0`: no descriptions"},
		{name: "headerFile", absent: "none", value: matching(`^[^/].*$`, "a path from the folder of opgen.yaml", "hack/boilerplate.go.txt"),
			means: "a file of Go comments, such as a license, that generated Go files begin with"},
		{name: "ignoreUnexportedFields", value: toggle(false),
			means: "`true` passes over fields of [your Go types](#go-first) that are not exported, though they have a JSON tag, which is an error otherwise"},
	}...)
}
