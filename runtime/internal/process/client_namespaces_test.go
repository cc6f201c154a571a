package process

import (
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// uncachedReader has no kind.
type uncachedReader struct{ client.Reader }

func (uncachedReader) List(context.Context, client.ObjectList, ...client.ListOption) error {
	return &cache.ErrResourceNotCached{}
}

// listed answers lists with one Secret for each namespace.
type listed struct{ client.Client }

func (listed) IsObjectNamespaced(object runtime.Object) (bool, error) {
	_, isNamespace := object.(*corev1.NamespaceList)
	return !isNamespace, nil
}

func (listed) List(_ context.Context, list client.ObjectList, options ...client.ListOption) error {
	asked := new(client.ListOptions).ApplyOptions(options)
	if secrets, ok := list.(*corev1.SecretList); ok {
		secrets.Items = []corev1.Secret{{ObjectMeta: metav1.ObjectMeta{Namespace: asked.Namespace, Name: "one"}}}
	}
	return nil
}

func TestLiveListsGoThroughTheNamespacesOfTheOperator(t *testing.T) {
	for _, test := range []struct {
		namespaces []string
		options    []client.ListOption
		expected   []string
	}{
		{nil, nil, []string{""}},
		{[]string{"a"}, nil, []string{"a"}},
		{[]string{"a", "b"}, nil, []string{"a", "b"}},
		{[]string{"a", "b"}, []client.ListOption{client.InNamespace("c")}, []string{"c"}},
	} {
		var secrets corev1.SecretList
		if err := (fallbackReader{uncachedReader{}, listed{}, test.namespaces}).List(t.Context(), &secrets, test.options...); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, secret := range secrets.Items {
			got = append(got, secret.Namespace)
		}
		if len(got) != len(test.expected) || got[0] != test.expected[0] || got[len(got)-1] != test.expected[len(got)-1] {
			t.Errorf("an operator of %q lists with %v in %q, expected %q", test.namespaces, test.options, got, test.expected)
		}
	}
	// The page of one namespace would be taken for all that there is.
	err := (fallbackReader{uncachedReader{}, listed{}, []string{"a", "b"}}).List(t.Context(), &corev1.SecretList{}, client.Limit(1))
	if want := "a list in pages needs a namespace, since the operator works in several: a, b"; err == nil || err.Error() != want {
		t.Errorf("a list in pages: %v, want %s", err, want)
	}
	if err := (fallbackReader{uncachedReader{}, listed{}, []string{"a"}}).List(t.Context(), &corev1.SecretList{}, client.Limit(1)); err != nil {
		t.Errorf("a list in pages in the only namespace: %v", err)
	}
	if err := (fallbackReader{uncachedReader{}, listed{}, []string{"a", "b"}}).List(t.Context(), &corev1.NamespaceList{}); err != nil {
		t.Errorf("a cluster-scoped kind: %v", err)
	}
}
