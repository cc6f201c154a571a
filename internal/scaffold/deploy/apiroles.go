package deploy

import (
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// apiRole is a role for the users of the project's kinds.
type apiRole struct {
	suffix    string // of its name, as kubebuilder has it
	aggregate string // the role of Kubernetes that it can be a part of
	verbs     []string
	scale     []string // verbs for the scale subresource
}

// apiRoles returns the roles, each of which may do what the one before it may. The status is the
// operator's: nobody else writes it.
func apiRoles() []apiRole {
	read := []string{"get", "list", "watch"}
	edit := slices.Concat(read, []string{"create", "update", "patch", "delete"})
	return []apiRole{
		{"viewer", "view", read, []string{"get"}},
		{"editor", "edit", edit, []string{"get", "update", "patch"}},
		{"admin", "admin", slices.Concat(edit, []string{"deletecollection"}), []string{"get", "update", "patch"}},
	}
}

// apiRoleComponent has roles that nothing binds.
func (o Operator) apiRoleComponent() Component {
	return Component{
		Name:    "api-roles",
		Purpose: "roles to view, edit and administer your kinds, which you bind",
		about: "ClusterRoles for the users of the API. Nothing binds them. Who may create a parent has the operator make its" + "\n" +
			"children, with the operator's permissions.",
		objects: o.apiRoleObjects(false),
	}
}

// aggregatedRoleComponent has the same roles as parts of view, edit and admin of Kubernetes.
func (o Operator) aggregatedRoleComponent() Component {
	return Component{
		Name:    "api-roles-aggregated",
		Purpose: "the same as parts of view, edit and admin: every editor of a namespace then has the operator act there",
		about: "The roles of api-roles as parts of view, edit and admin of Kubernetes: turn on one of the two components. Whoever" + "\n" +
			"may edit a namespace may then create parents there, and so has the operator make their children, with permissions" + "\n" +
			"that they may not have themselves. Turn it on if every editor of a namespace may have that.",
		objects: o.apiRoleObjects(true),
	}
}

func (o Operator) apiRoleObjects(aggregated bool) (objects []runtime.Object) {
	for _, api := range o.APIs {
		for _, role := range apiRoles() {
			meta := o.objectMeta(o.apiRoleName(api, role))
			if aggregated {
				meta.Labels["rbac.authorization.k8s.io/aggregate-to-"+role.aggregate] = "true"
			}
			objects = append(objects, &rbacv1.ClusterRole{
				TypeMeta: metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: "ClusterRole"}, ObjectMeta: meta, Rules: role.rules(api),
			})
		}
	}
	return objects
}

func (r apiRole) rules(api API) []rbacv1.PolicyRule {
	rules := []rbacv1.PolicyRule{
		resourceRule(api.Group, api.Plural, r.verbs...),
		resourceRule(api.Group, api.Plural+"/status", "get"),
	}
	if api.HasScale {
		rules = append(rules, resourceRule(api.Group, api.Plural+"/scale", r.scale...))
	}
	return mergeRules(rules)
}

// apiRoleName returns the name of a role: that of a kubebuilder project of the same name, with the group
// if another kind of the project has the same name.
func (o Operator) apiRoleName(api API, role apiRole) string {
	name := strings.ToLower(api.Kind)
	for _, other := range o.APIs {
		if other.Kind == api.Kind && other.Group != api.Group {
			name = strings.ToLower(api.Kind) + "." + api.Group
		}
	}
	return o.Name + "-" + name + "-" + role.suffix + "-role"
}
