package spec

import (
	"fmt"
	"math"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/opgen-dev/opgen/internal/jsonschema"
)

// operatorMapping returns the keys under operator.
func operatorMapping(op *Operator) Mapping {
	var allowPause, allowDisconnect bool
	return Mapping{Name: "operator", pos: &op.Pos, Keys: []Key{
		{Name: "children", Absent: "none", value: listOf(&op.Children, childMapping), Doc: "list of the kinds of children"},
		{Name: "related", Absent: "none", value: listOf(&op.Related, relatedMapping), Doc: "list of what Sync reads beside the children"},
		{Name: "finalize", value: trueOrFalseBy(false, &op.Finalize), Doc: "the author implements Finalize"},
		{Name: "teardown", value: wordOr(TeardownTogether, &op.Teardown, TeardownTogether, TeardownOrdered),
			Doc: "how the children of a deleted parent go. `together`: the garbage collector deletes them; `ordered`: as Finalize asks for fewer and fewer of them, and without a Finalize kind by kind, the last first. Children have no owner references then, and tools that draw trees by them do not show children below their parent"},
		{Name: "retries", Absent: "no limit", value: integerBetween(&op.Retries, 1, math.MaxInt32),
			Doc: "failed reconciles in a row after which a parent is left alone until something changes"},
		{Name: "timeout", Absent: "`2m`", value: durationBetween(&op.Timeout, time.Second, 24*time.Hour), Doc: "what one Sync or Finalize may take, from `1s` to `24h`"},
		{Name: "allowPause", value: trueOrFalseBy(true, &allowPause), Doc: "users may pause a parent by the annotation `<group>/paused`"},
		{Name: "allowDisconnect", value: trueOrFalseBy(true, &allowDisconnect), Doc: "users may disconnect a parent from its children by the annotation `<group>/disconnect`"},
		{Name: "workers", Absent: "`--workers`", value: integerBetween(&op.Workers, 1, 1000), Doc: "how many parents the controller works on at once"},
		{Name: "metrics", Absent: "none", value: metricList(&op.Metrics), Doc: "list of gauges from the status of the parents; see [operating.md](operating.md#metrics-from-the-status)"},
		{Name: "takeOverFrom", Absent: "none", value: managerList(&op.TakeOverFrom),
			Doc: "list of the field managers of an operator that this one replaces, such as the name of its binary. What they own in children becomes this operator's when it starts, so that what Sync does not desire goes; see [children.md](children.md#take-over-from-another-operator). Remove the key once that is done"},
		{Name: "rbac", Absent: "none", value: listOf(&op.RBAC, policyRuleMapping), Doc: "policy rules for side effects, beside what the children need"},
	}, finish: func(d *decoder, n *yaml.Node, path string) {
		d.checkDistinctChildren(op.Children, path+".children")
		d.checkDistinctRelated(op.Related, path+".related")
		d.checkPatches(op, path+".children")
		d.checkOfChild(op, n, path+".related")
		d.checkFrom(op.Related, n, path+".related")
		op.ForbidPause, op.ForbidDisconnect = !allowPause, !allowDisconnect
	}}
}

// managerLength is the longest name of a field manager that the API server allows.
const managerLength = 128

// managerList accepts a list of distinct names of field managers.
func managerList(into *[]string) value {
	return distinctList(into, quoteShort, func(manager *string) value {
		return value{
			decode: func(d *decoder, n *yaml.Node, path string) {
				text, ok := d.decodeText(n, path)
				switch {
				case !ok:
				case strings.TrimSpace(text) == "":
					d.fail(n, path, "the name of a field manager is empty", "kubectl get -o yaml --show-managed-fields shows the names under metadata.managedFields")
				case len(text) > managerLength:
					d.fail(n, path, fmt.Sprintf("the name of a field manager has at most %d characters, and this one %d", managerLength, len(text)), "")
				default:
					*manager = text
				}
			},
			schema: func(*Language) *jsonschema.Schema {
				return &jsonschema.Schema{Type: "string", MinLength: 1, MaxLength: managerLength, Examples: []any{"memcached-manager"}}
			},
		}
	})
}

// policyRuleMapping returns the keys of a rule of the operator's role. A rule is for resources or
// for URLs.
func policyRuleMapping(r *PolicyRule) Mapping {
	const without = "required without `nonResourceURLs`"
	return Mapping{Name: "policyRule", Keys: []Key{
		{Name: "apiGroups", Absent: without, value: wordList(&r.APIGroups, true, "", "apps"), Doc: `list of API groups; "" is the core group`},
		{Name: "resources", Absent: without, value: wordList(&r.Resources, false, "nodes"), Doc: "list of resources, such as `nodes`"},
		{Name: "verbs", Required: true, value: wordList(&r.Verbs, false, "get", "list", "watch", "create", "update", "patch", "delete"), Doc: "list of verbs, such as `get`"},
		{Name: "resourceNames", Absent: "all", value: wordList(&r.ResourceNames, false), Doc: "list of the only objects that the rule is for"},
		{Name: "nonResourceURLs", Absent: "none", value: wordList(&r.NonResourceURLs, false, "/metrics"), Doc: "list of URL paths, in the place of the other keys but `verbs`"},
	}, rules: []rule{
		{when: []condition{noKey("nonResourceURLs")}, requires: []string{"apiGroups", "resources"}},
		{when: []condition{hasKey("nonResourceURLs")}, excludes: []string{"apiGroups", "resources", "resourceNames"}, hint: hintText("write two rules")},
	}}
}

// resourceKeys returns the keys that identify a kind of objects.
func resourceKeys(r *Resource, occurrence string) []Key {
	return []Key{
		{Name: "apiVersion", Required: true, value: formedText(&r.APIVersion, &apiVersionForm),
			Doc: "group and version of the kind, such as `apps/v1`, or `v1` of the core group"},
		{Name: "kind", Required: true, value: formedText(&r.Kind, &childKindForm), Doc: "such as `Deployment`; " + occurrence},
		{Name: "plural", Absent: "known", value: formedText(&r.Plural, &labelForm), Doc: "the resource, for kinds that opgen does not know"},
		{Name: "scope", Absent: "known", value: oneWord(&r.Scope, Namespaced, Cluster), Doc: "`Namespaced` or `Cluster`, for kinds that opgen does not know"},
		{Name: "goType", Absent: "unstructured", value: formedText(&r.GoType, &goTypeForm), Doc: "`import/path.Type` for kinds that opgen does not know"},
	}
}

// fieldNameKey returns the key for the Go field of a kind of objects.
func fieldNameKey(r *Resource) Key {
	return Key{Name: "as", Absent: "the plural of the kind", value: formedText(&r.As, &goFieldForm), Doc: "name of the Go field"}
}

// setGoField sets the Go field of a kind of objects to its plural, such as Deployments, if the file
// does not set it.
func (r *Resource) setGoField(*decoder, *yaml.Node, string) {
	if r.As == "" {
		r.As = GoPlural(r.Kind)
	}
}
