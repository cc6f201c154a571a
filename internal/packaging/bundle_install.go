package packaging

import (
	"fmt"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// installStrategy returns the Deployment of the operator and its permissions.
func (o *Operator) installStrategy() (map[string]any, error) {
	deployment := map[string]any{"name": o.manager.GetName(), "spec": watchTargets(withoutCertificates(o.manager.Object["spec"]))}
	if labels := o.manager.GetLabels(); len(labels) > 0 {
		deployment["label"] = labels
	}
	account := o.serviceAccount()
	cluster, err := o.permissions(account, "ClusterRoleBinding")
	if err != nil {
		return nil, err
	}
	namespaced, err := o.permissions(account, "RoleBinding")
	if err != nil {
		return nil, err
	}
	strategy := map[string]any{"deployments": []any{deployment}}
	for key, rules := range map[string][]any{"clusterPermissions": cluster, "permissions": namespaced} {
		if len(rules) > 0 {
			strategy[key] = []any{map[string]any{"serviceAccountName": account, "rules": rules}}
		}
	}
	return map[string]any{"strategy": "deployment", "spec": strategy}, nil
}

// serviceAccount returns the name of the operator's ServiceAccount.
func (o *Operator) serviceAccount() string {
	name, _, _ := unstructured.NestedString(o.manager.Object, "spec", "template", "spec", "serviceAccountName")
	return name
}

// isInServiceVersion reports whether the ClusterServiceVersion says what an object does: the Deployment of the operator,
// its ServiceAccount, bindings to that alone, and the roles that only such bindings name.
func (o *Operator) isInServiceVersion(object *Object) bool {
	switch object.GetKind() {
	case "Deployment":
		return nameOf(object) == nameOf(o.manager)
	case "ServiceAccount":
		return object.GetName() == o.serviceAccount() && object.GetNamespace() == o.Namespace
	case "RoleBinding", "ClusterRoleBinding":
		return o.bindsOperatorAlone(object)
	}
	bindings := slices.DeleteFunc(ofKind(o.Objects, "RoleBinding", "ClusterRoleBinding"), func(binding *Object) bool {
		kind, _, _ := unstructured.NestedString(binding.Object, "roleRef", "kind")
		name, _, _ := unstructured.NestedString(binding.Object, "roleRef", "name")
		return kind != object.GetKind() || name != object.GetName() || kind == "Role" && binding.GetNamespace() != object.GetNamespace()
	})
	return len(bindings) > 0 && !slices.ContainsFunc(bindings, func(binding *Object) bool { return !o.bindsOperatorAlone(binding) })
}

// bindsOperatorAlone reports whether a binding has subjects, and all are the operator's ServiceAccount.
func (o *Operator) bindsOperatorAlone(binding *Object) bool {
	subjects, _, _ := unstructured.NestedSlice(binding.Object, "subjects")
	return len(subjects) > 0 && !slices.ContainsFunc(subjects, func(item any) bool {
		subject, _ := item.(map[string]any)
		return subject["kind"] != "ServiceAccount" || subject["name"] != o.serviceAccount() || subject["namespace"] != o.Namespace
	})
}

// permissions returns the rules that bindings of a kind give to a ServiceAccount. A binding in another namespace cannot be
// in a bundle.
func (o *Operator) permissions(account, kind string) ([]any, error) {
	var rules []any
	for _, object := range ofKind(o.Objects, kind) {
		var binding rbacv1.RoleBinding // a ClusterRoleBinding has the same fields
		if err := decode(object, &binding); err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(binding.Subjects, func(s rbacv1.Subject) bool { return s.Kind == "ServiceAccount" && s.Name == account }) {
			continue
		}
		if kind == "RoleBinding" && binding.Namespace != o.Namespace {
			return nil, fmt.Errorf("a bundle can have no RoleBinding in another namespace than that of the operator, such as %s in %s\n    make a chart, or leave it out: watchNamespaces of opgen.yaml, and namespaces of children",
				binding.Name, binding.Namespace)
		}
		list, err := o.rulesOf(binding)
		if err != nil {
			return nil, err
		}
		rules = append(rules, list...)
	}
	return rules, nil
}

// rulesOf returns the rules of the role of a binding. A role whose rules only the cluster knows cannot be in a bundle.
func (o *Operator) rulesOf(binding rbacv1.RoleBinding) ([]any, error) {
	ref := binding.RoleRef
	for _, role := range ofKind(o.Objects, ref.Kind) {
		if role.GetName() != ref.Name || role.GetKind() != "ClusterRole" && role.GetNamespace() != binding.Namespace {
			continue
		}
		if _, isAggregated := role.Object["aggregationRule"]; isAggregated {
			return nil, fmt.Errorf("a bundle needs the rules of the %s %s, which the cluster aggregates (binding %s)\n    write the rules of the operator into a role without aggregationRule", ref.Kind, ref.Name, binding.Name)
		}
		list, _ := role.Object["rules"].([]any)
		return list, nil
	}
	return nil, fmt.Errorf("a bundle needs the rules of the %s %s, which the kustomization does not have (binding %s)\n    write what the operator needs under operator.rbac of its spec file, or add a role with these rules",
		ref.Kind, ref.Name, binding.Name)
}

// certificatePath is where the certificate of webhooks is mounted.
const certificatePath = "/tmp/k8s-webhook-server/serving-certs"

// withoutCertificates removes the volumes with certificates of webhooks: the Operator Lifecycle Manager mounts its own at
// the same place.
func withoutCertificates(spec any) any {
	copied, ok := (&Object{Object: map[string]any{"spec": spec}}).DeepCopy().Object["spec"].(map[string]any)
	if !ok {
		return spec
	}
	pod, _, _ := unstructured.NestedMap(copied, "template", "spec")
	var names []string
	containers, _ := pod["containers"].([]any)
	for _, item := range containers {
		container, _ := item.(map[string]any)
		mounts, _ := container["volumeMounts"].([]any)
		mounts = slices.DeleteFunc(mounts, func(item any) bool {
			mount, _ := item.(map[string]any)
			is := mount["mountPath"] == certificatePath
			if name, isText := mount["name"].(string); is && isText {
				names = append(names, name)
			}
			return is
		})
		if container["volumeMounts"] = mounts; len(mounts) == 0 {
			delete(container, "volumeMounts")
		}
	}
	volumes, _ := pod["volumes"].([]any)
	volumes = slices.DeleteFunc(volumes, func(item any) bool {
		volume, _ := item.(map[string]any)
		name, _ := volume["name"].(string)
		return slices.Contains(names, name)
	})
	if pod["volumes"] = volumes; len(volumes) == 0 {
		delete(pod, "volumes")
	}
	_ = unstructured.SetNestedMap(copied, pod, "template", "spec") // its parents are maps
	return copied
}

// targetsField is where the Operator Lifecycle Manager writes the namespaces that an installation is for, with commas
// between them.
const targetsField = "metadata.annotations['olm.targetNamespaces']"

// watchTargets has an operator that watches its own namespace watch those of the installation.
func watchTargets(spec any) any {
	fields, _ := spec.(map[string]any)
	containers, _, _ := unstructured.NestedSlice(fields, "template", "spec", "containers")
	for _, item := range containers {
		container, _ := item.(map[string]any)
		variables, _ := container["env"].([]any)
		for _, item := range variables {
			variable, _ := item.(map[string]any)
			if variable["name"] == "POD_NAMESPACE" {
				variable["valueFrom"] = map[string]any{"fieldRef": map[string]any{"fieldPath": targetsField}}
			}
		}
	}
	if len(containers) > 0 {
		_ = unstructured.SetNestedSlice(fields, containers, "template", "spec", "containers") // its parents are maps
	}
	return spec
}

// ownedKinds lists the kinds and versions of the CRDs.
func (o *Operator) ownedKinds() ([]any, error) {
	owned := []any{}
	for _, object := range ofKind(o.Objects, "CustomResourceDefinition") {
		kind, _, err := unstructured.NestedString(object.Object, "spec", "names", "kind")
		if err != nil {
			return nil, err
		}
		versions, _, err := unstructured.NestedSlice(object.Object, "spec", "versions")
		if err != nil {
			return nil, err
		}
		for _, item := range versions {
			version, _ := item.(map[string]any)
			if version["served"] != true {
				continue
			}
			description, _, _ := unstructured.NestedString(version, "schema", "openAPIV3Schema", "description")
			owned = append(owned, map[string]any{
				"name": object.GetName(), "kind": kind, "version": version["name"], "displayName": kind, "description": textOr(description, kind),
			})
		}
	}
	return owned, nil
}

// textOr returns a text, or another one if it is empty.
func textOr(text, absent string) string {
	if strings.TrimSpace(text) == "" {
		return absent
	}
	return text
}
