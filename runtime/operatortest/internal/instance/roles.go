package instance

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// grantRoles gives the operator's user the permissions of the roles in a file. The roles get the
// name of the test's namespace. A namespace that a role names is created if there is none; it
// stays, since other tests may use it.
func (o *Operator) grantRoles(path string) {
	o.T.Helper()
	rights, err := ReadRights(path, o.Namespace, o.Config.User)
	if err != nil {
		o.T.Fatal(err)
	}
	for _, object := range rights {
		if namespace := object.GetNamespace(); namespace != "" && namespace != o.Namespace {
			err := o.Client.Create(o.T.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}})
			if err != nil && !apierrors.IsAlreadyExists(err) {
				o.T.Fatal(err)
			}
		}
		if err := o.Client.Create(o.T.Context(), object); err != nil {
			o.T.Fatal(err)
		}
		o.rights = append(o.rights, object)
	}
	o.awaitRights(rights)
}

// awaitRights waits until the API server's authorizer knows the roles, so that none of the operator's first requests
// is refused.
func (o *Operator) awaitRights(rights []client.Object) {
	o.T.Helper()
	for _, object := range rights {
		var rules []rbacv1.PolicyRule
		switch role := object.(type) {
		case *rbacv1.ClusterRole:
			rules = role.Rules
		case *rbacv1.Role:
			rules = role.Rules
		}
		for _, rule := range rules {
			if len(rule.Resources) > 0 {
				o.awaitRule(object.GetNamespace(), rule)
				break // the others are known with it
			}
		}
	}
}

func (o *Operator) awaitRule(namespace string, rule rbacv1.PolicyRule) {
	o.T.Helper()
	resource, subresource, _ := strings.Cut(rule.Resources[0], "/")
	asked := &authorizationv1.ResourceAttributes{
		Namespace: namespace, Verb: rule.Verbs[0], Group: rule.APIGroups[0], Resource: resource, Subresource: subresource,
		Name: cmp.Or(rule.ResourceNames...),
	}
	o.Eventually("the roles are in effect", func() error {
		review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{User: o.Config.User, ResourceAttributes: asked}}
		if err := o.Client.Create(o.T.Context(), review); err != nil {
			return err
		}
		if !review.Status.Allowed {
			return fmt.Errorf("%s of %s is not allowed yet", asked.Verb, rule.Resources[0])
		}
		return nil
	})
}

// isWatched reports whether a role is one of those in the namespaces that the operator watches. Where opgen.yaml lists
// them, a test has its own namespace in place of each.
func isWatched(annotations map[string]string) bool { return annotations["opgen.dev/watched"] == "true" }

// ReadRights returns the roles in a file, under a name, and their bindings to a user. The roles in
// the namespace of the operator's ServiceAccount are in the namespace of that name; all are in a
// file without a ServiceAccount. So are those of namespaces that the operator watches by a list.
func ReadRights(path, name, user string) (rights []client.Object, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	objects, err := parseObjects(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	everywhere, here, home := metav1.ObjectMeta{Name: name}, metav1.ObjectMeta{}, ""
	subjects := []rbacv1.Subject{{Kind: rbacv1.UserKind, APIGroup: rbacv1.GroupName, Name: user}}
	for _, object := range objects {
		switch object.Kind {
		case "ServiceAccount":
			home = object.Metadata.Namespace
		case "ClusterRole":
			role := new(rbacv1.ClusterRole)
			if err := json.Unmarshal(object.raw, role); err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
			everywhere.Name = fmt.Sprintf("%s-%d", name, len(rights))
			role.ObjectMeta = everywhere
			bound := rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: object.Kind, Name: role.Name}
			rights = append(rights, role, &rbacv1.ClusterRoleBinding{ObjectMeta: everywhere, RoleRef: bound, Subjects: subjects})
		case "Role":
			role := new(rbacv1.Role)
			if err := json.Unmarshal(object.raw, role); err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
			here.Name, here.Namespace = fmt.Sprintf("%s-%d", name, len(rights)), name
			if home != "" && role.Namespace != home && !isWatched(role.Annotations) {
				here.Namespace = role.Namespace
			}
			role.ObjectMeta = here
			bound := rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: object.Kind, Name: role.Name}
			rights = append(rights, role, &rbacv1.RoleBinding{ObjectMeta: here, RoleRef: bound, Subjects: subjects})
		}
	}
	if len(rights) == 0 {
		return nil, fmt.Errorf("%s holds no ClusterRole and no Role", path)
	}
	return rights, nil
}
