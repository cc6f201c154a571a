package namespacelisting

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"

	"example.com/namespace-list/api/v1alpha1"
)

// namespaces returns what Sync reads.
func namespaces(names ...string) Related {
	var objects []*metav1.PartialObjectMetadata
	for _, name := range names {
		objects = append(objects, &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: name}})
	}
	return Related{Namespaces: operator.NewSnapshot(objects...)}
}

func list(names string) *Desired {
	want := new(Desired)
	want.ConfigMaps.Add(&corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: "listing"},
		Data:       map[string]string{"names": names},
	})
	return want
}

// Sync is a function of its request, so its tests need no cluster.
func TestSync(t *testing.T) {
	parent := &v1alpha1.NamespaceListing{ObjectMeta: metav1.ObjectMeta{Name: "listing"}}
	operatortest.Run(t, new(Reconciler).Sync,
		operatortest.Case[Request, Response]{
			Name:  "the names are sorted",
			Given: Request{Parent: parent, Related: namespaces("shop", "blog", "mail")},
			Expect: &Response{
				Children: list("blog\nmail\nshop"),
				Status:   &v1alpha1.NamespaceListingStatus{Count: 3},
			},
		},
		operatortest.Case[Request, Response]{
			Name:  "an empty list is a list, too",
			Given: Request{Parent: parent},
			Expect: &Response{
				Children: list(""),
				Status:   new(v1alpha1.NamespaceListingStatus),
			},
		},
	)
}
