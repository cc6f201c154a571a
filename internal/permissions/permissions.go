package permissions

import (
	"bytes"
	"errors"
	"io"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// Permission is one verb of one resource, in one namespace or in the whole cluster.
type Permission struct {
	Target
	Verb string
}

// Target is what a verb is allowed for.
type Target struct {
	Role      string // that nothing binds; empty for a role with a binding
	Namespace string // empty: in the whole cluster
	Group     string
	Resource  string // with its subresource, such as pods/eviction
	Name      string // of the only object; empty: of any
	URL       string // in place of a resource
}

// String returns the target as messages name it, such as "deployments.apps/scale in namespace web".
func (t Target) String() string {
	if t.URL != "" {
		return t.URL
	}
	text := t.resource()
	if t.Name != "" {
		text += " named " + t.Name
	}
	if t.Namespace != "" {
		return text + " in namespace " + t.Namespace
	}
	return text + " cluster-wide"
}

// resource returns the resource as kubectl names it: deployments.apps/scale.
func (t Target) resource() string {
	if t.Group == "" {
		return t.Resource
	}
	base, subresource, found := strings.Cut(t.Resource, "/")
	if found {
		return base + "." + t.Group + "/" + subresource
	}
	return base + "." + t.Group
}

// object has the fields of roles and of their bindings.
type object struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Rules             []rbacv1.PolicyRule `json:"rules"`
	RoleRef           rbacv1.RoleRef      `json:"roleRef"`
}

// Parse returns what the roles in manifests permit. Other objects are skipped.
func Parse(manifests ...[]byte) ([]Permission, error) {
	var objects []object
	for _, manifest := range manifests {
		found, err := decode(manifest)
		if err != nil {
			return nil, err
		}
		objects = append(objects, found...)
	}
	bindings := map[roleKey][]Target{}
	for _, o := range objects {
		switch o.Kind {
		case "ClusterRoleBinding":
			role := roleKey{o.RoleRef.Kind, "", o.RoleRef.Name}
			bindings[role] = append(bindings[role], Target{})
		case "RoleBinding":
			role := roleKey{o.RoleRef.Kind, o.Namespace, o.RoleRef.Name}
			if role.kind == "ClusterRole" {
				role.namespace = ""
			}
			bindings[role] = append(bindings[role], Target{Namespace: o.Namespace})
		}
	}
	var all []Permission
	for _, o := range objects {
		if o.Kind != "ClusterRole" && o.Kind != "Role" {
			continue
		}
		places := bindings[roleKey{o.Kind, o.Namespace, o.Name}]
		if len(places) == 0 {
			places = []Target{{Role: o.Name, Namespace: o.Namespace}}
		}
		for _, place := range places {
			for _, rule := range o.Rules {
				all = append(all, place.expand(rule)...)
			}
		}
	}
	return all, nil
}

// roleKey identifies a role. A ClusterRole has no namespace.
type roleKey struct{ kind, namespace, name string }

func decode(manifest []byte) (objects []object, err error) {
	documents := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(manifest), 4096)
	for {
		var o object
		if err := documents.Decode(&o); errors.Is(err, io.EOF) {
			return objects, nil
		} else if err != nil {
			return nil, err
		}
		objects = append(objects, o)
	}
}

// expand returns the permissions of a rule in a role.
func (t Target) expand(rule rbacv1.PolicyRule) (all []Permission) {
	for _, verb := range rule.Verbs {
		for _, url := range rule.NonResourceURLs {
			at := t
			at.URL = url
			all = append(all, Permission{at, verb})
		}
		for _, group := range rule.APIGroups {
			for _, resource := range rule.Resources {
				for _, name := range orAny(rule.ResourceNames) {
					at := t
					at.Group, at.Resource, at.Name = group, resource, name
					all = append(all, Permission{at, verb})
				}
			}
		}
	}
	return all
}

// orAny returns the names, or one empty name that stands for any.
func orAny(names []string) []string {
	if len(names) == 0 {
		return []string{""}
	}
	return names
}
