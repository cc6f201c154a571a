package reference

import "github.com/opgen-dev/opgen/internal/spec"

// operatorKeys are the keys under operator.
func operatorKeys() []key {
	return []key{
		{name: "children", absent: "none", value: list(ref("child")), means: "list of the kinds of children"},
		{name: "finalize", value: toggle(false), means: "the author implements Finalize"},
		{name: "rbac", absent: "none", value: list(ref("policyRule")), means: "policy rules for side effects, beside what the children need"},
	}
}

// childKeys are the keys of a child.
func childKeys() []key {
	deletion := func() *schema { return word(spec.Delete).withDefault(spec.Delete) }
	return []key{
		{name: "apiVersion", required: true, value: matching(`^([a-z0-9]([-.a-z0-9]*[a-z0-9])?/)?[a-z]([-a-z0-9]*[a-z0-9])?$`, "a group and a version, such as v1 or apps/v1", "v1", "apps/v1"),
			means: "group and version of the kind, such as `apps/v1`, or `v1` of the core group"},
		{name: "kind", required: true, value: kindOf("Deployment"), means: "such as `Deployment`; each resource once"},
		{name: "plural", absent: "known", value: label(), means: "the resource, for kinds that opgen does not know"},
		{name: "scope", absent: "known", value: word(spec.Namespaced, spec.Cluster), means: "`Namespaced` or `Cluster`, for kinds that opgen does not know"},
		{name: "goType", absent: "unstructured", value: matching(`^[A-Za-z0-9._~/-]*[A-Za-z0-9_~-]\.[A-Z][A-Za-z0-9_]*$`, "an import path and a type: import/path.Type", "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1.Certificate"),
			means: "`import/path.Type` for kinds that opgen does not know"},
		{name: "as", absent: "the plural of the kind", value: matching(`^[A-Z][A-Za-z0-9]*$`, "an exported Go name", "Certificates"), means: "name of the Go field"},
		{name: "update", value: word(spec.InPlace, spec.Recreate, spec.OnDelete, spec.CreateOnly).withDefault(spec.InPlace),
			means: "how a change reaches a child that is there. `InPlace`: it is applied; `Recreate`: the child is deleted and made anew; `OnDelete`: when somebody deletes the child; `CreateOnly`: never"},
		{name: "retired", value: toggle(false), means: "no longer made, kept so that old ones are pruned"},
		{name: "whenDropped", value: deletion(),
			means: "what happens when Sync no longer wants the child: `Delete`. For PersistentVolumeClaim, Namespace and CustomResourceDefinition it must be written out"},
		{name: "whenDeleted", value: deletion(),
			means: "what happens when the parent goes: `Delete`. For PersistentVolumeClaim, Namespace and CustomResourceDefinition it must be written out"},
	}
}

// child is a kind of children. Where deleting it loses data, that must be written out.
func child() *schema {
	s := object(childKeys())
	written := &schema{Required: []string{"whenDropped", "whenDeleted"}}
	for _, holds := range []struct {
		group string
		kinds []string
	}{
		{`^[^/]*$`, []string{"PersistentVolumeClaim", "Namespace"}},
		{`^apiextensions\.k8s\.io/`, []string{"CustomResourceDefinition"}},
	} {
		kind := when("kind", word(holds.kinds...))
		s.AllOf = append(s.AllOf, &schema{If: &schema{AllOf: []*schema{when("apiVersion", &schema{Pattern: holds.group}), kind}}, Then: written})
	}
	return s
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
