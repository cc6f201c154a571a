package crdroles

import (
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/opgen-dev/opgen/runtime/operatortest"
)

// newCRD returns a CRD of its own kind that asks for a ClusterRole.
func newCRD(plural, group string) *apiextensionsv1.CustomResourceDefinition {
	return &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{
			Name:        plural + "." + group,
			Annotations: map[string]string{"enable-default-roles": "yes"},
		},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: group,
			Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: plural, Kind: plural},
			Scope: apiextensionsv1.NamespaceScoped,
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
				Name: "v1", Served: true, Storage: true,
				Schema: &apiextensionsv1.CustomResourceValidation{
					OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{Type: "object"},
				},
			}},
		},
	}
}

// reader is the ClusterRole that a CRD should have.
func reader(plural, group string) *rbacv1.ClusterRole {
	return &rbacv1.ClusterRole{
		ObjectMeta: metav1.ObjectMeta{Name: plural + "." + group + "-reader"},
		Rules: []rbacv1.PolicyRule{{
			APIGroups: []string{group}, Resources: []string{plural}, Verbs: []string{"get", "list", "watch"},
		}},
	}
}

// Sync is a function of its request, so its tests need no cluster.
func TestSync(t *testing.T) {
	want := new(Desired)
	want.ClusterRoles.Add(reader("gadgets", "example.com"))
	operatortest.Run(t, new(Reconciler).Sync,
		operatortest.Case[Request, Response]{
			Name:   "a ClusterRole may read the objects of the kind",
			Given:  Request{Parent: newCRD("gadgets", "example.com")},
			Expect: &Response{Children: want},
		},
	)
}
