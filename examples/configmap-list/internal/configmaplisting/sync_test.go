package configmaplisting

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"

	"example.com/configmap-list/api/v1alpha1"
)

// newListing returns a parent in the namespace shop, which lists the ConfigMaps of another.
func newListing(sourceNamespace string) *v1alpha1.ConfigMapListing {
	return &v1alpha1.ConfigMapListing{
		ObjectMeta: metav1.ObjectMeta{Name: "listing", Namespace: "shop"},
		Spec:       v1alpha1.ConfigMapListingSpec{SourceNamespace: sourceNamespace},
	}
}

// sources returns what Sync sees of the ConfigMaps of a namespace: their metadata.
func sources(namespace string, names ...string) Related {
	var objects []*metav1.PartialObjectMetadata
	for _, name := range names {
		objects = append(objects, &metav1.PartialObjectMetadata{
			ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace},
		})
	}
	return Related{Sources: operator.NewSnapshot(objects...)}
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
	operatortest.Run(t, new(Reconciler).Sync,
		operatortest.Case[Request, Response]{
			Name: "the names are sorted",
			Given: Request{
				Parent:  newListing("other"),
				Related: sources("other", "tea", "cake", "milk"),
			},
			Expect: &Response{
				Children: list("cake\nmilk\ntea"),
				Status:   &v1alpha1.ConfigMapListingStatus{Count: 3},
			},
		},
		operatortest.Case[Request, Response]{
			Name:  "an empty list is a list, too",
			Given: Request{Parent: newListing("other")},
			Expect: &Response{
				Children: list(""),
				Status:   new(v1alpha1.ConfigMapListingStatus),
			},
		},
		operatortest.Case[Request, Response]{
			Name: "a list does not contain itself",
			Given: Request{
				Parent:  newListing("shop"),
				Related: sources("shop", "cake", "listing", "tea"),
			},
			Expect: &Response{
				Children: list("cake\ntea"),
				Status:   &v1alpha1.ConfigMapListingStatus{Count: 2},
			},
		},
		operatortest.Case[Request, Response]{
			Name:  "a ConfigMap with its name in another namespace is listed",
			Given: Request{Parent: newListing("other"), Related: sources("other", "listing")},
			Expect: &Response{
				Children: list("listing"),
				Status:   &v1alpha1.ConfigMapListingStatus{Count: 1},
			},
		},
	)
}
