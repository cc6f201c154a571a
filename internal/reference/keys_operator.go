package reference

import (
	"math"

	"github.com/opgen-dev/opgen/internal/spec"
)

// operatorKeys are the keys under operator.
func operatorKeys() []key {
	return []key{
		{name: "children", absent: "none", value: list(ref("child")), means: "list of the kinds of children"},
		{name: "related", absent: "none", value: list(ref("related")), means: "list of what Sync reads beside the children"},
		{name: "finalize", value: toggle(false), means: "the author implements Finalize"},
		{name: "teardown", value: word(spec.TeardownTogether, spec.TeardownOrdered).withDefault(spec.TeardownTogether),
			means: "how the children of a deleted parent go. `together`: the garbage collector deletes them; `ordered`: as Finalize asks for fewer and fewer of them, and without a Finalize kind by kind, the last first"},
		{name: "retries", absent: "no limit", value: &schema{Type: "integer", Minimum: new(1), Maximum: new(math.MaxInt32)},
			means: "failed passes in a row after which a parent is left alone until something changes"},
		{name: "timeout", absent: "`2m`", value: matching(`^\+?([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h)(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))*$`, "a duration with its unit, such as 90s or 5m", "90s", "5m"),
			means: "what one Sync or Finalize may take, from `1s` to `24h`"},
		{name: "rbac", absent: "none", value: list(ref("policyRule")), means: "policy rules for side effects, beside what the children need"},
	}
}

// resourceKeys are the keys that name a kind of objects.
func resourceKeys(each string) []key {
	return []key{
		{name: "apiVersion", required: true, value: matching(`^([a-z0-9]([-.a-z0-9]*[a-z0-9])?/)?[a-z]([-a-z0-9]*[a-z0-9])?$`, "a group and a version, such as v1 or apps/v1", "v1", "apps/v1"),
			means: "group and version of the kind, such as `apps/v1`, or `v1` of the core group"},
		{name: "kind", required: true, value: kindOf("Deployment"), means: "such as `Deployment`; " + each},
		{name: "plural", absent: "known", value: label(), means: "the resource, for kinds that opgen does not know"},
		{name: "scope", absent: "known", value: word(spec.Namespaced, spec.Cluster), means: "`Namespaced` or `Cluster`, for kinds that opgen does not know"},
		{name: "goType", absent: "unstructured", value: matching(`^[A-Za-z0-9._~/-]*[A-Za-z0-9_~-]\.[A-Z][A-Za-z0-9_]*$`, "an import path and a type: import/path.Type", "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1.Certificate"),
			means: "`import/path.Type` for kinds that opgen does not know"},
		{name: "as", absent: "the plural of the kind", value: matching(`^[A-Z][A-Za-z0-9]*$`, "an exported Go name", "Certificates"), means: "name of the Go field"},
	}
}

// policyRuleKeys are the keys of a rule of the operator's role.
func policyRuleKeys() []key {
	texts := func(examples ...any) *schema { return list(&schema{Type: "string", Examples: examples}) }
	return []key{
		{name: "apiGroups", absent: "required without `nonResourceURLs`", value: texts("", "apps"), means: `list of API groups; "" is the core group`},
		{name: "resources", absent: "required without `nonResourceURLs`", value: texts("nodes"), means: "list of resources, such as `nodes`"},
		{name: "verbs", required: true, value: texts("get", "list", "watch", "create", "update", "patch", "delete"), means: "list of verbs, such as `get`"},
		{name: "resourceNames", absent: "all", value: texts(), means: "list of the only objects that the rule is for"},
		{name: "nonResourceURLs", absent: "none", value: texts("/metrics"), means: "list of URL paths, in the place of the other keys but `verbs`"},
	}
}

// policyRule is either for resources or for URLs.
func policyRule() *schema {
	s := object(policyRuleKeys())
	s.If = &schema{Required: []string{"nonResourceURLs"}}
	s.Then = &schema{Properties: map[string]*schema{"apiGroups": never(), "resources": never(), "resourceNames": never()}}
	s.Else = &schema{Required: []string{"apiGroups", "resources"}}
	return s
}
