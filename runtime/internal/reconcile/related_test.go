package reconcile

import (
	"context"
	"errors"
	"os"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/declared"
	"github.com/opgen-dev/opgen/runtime/internal/related"
)

var secretKind = corev1.SchemeGroupVersion.WithKind("Secret")

// The field that names a related object is empty in many parents. It does not stand for all objects.
func TestAnEmptyNameSelectsNothing(t *testing.T) {
	r := &subject{loop: &loop{parentKind: kind{namespaced: true}}, parent: &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "default"}}}
	entry := &relatedKind{kind: kind{GroupVersionKind: secretKind, namespaced: true}, RelatedKind: declared.RelatedKind{Dynamic: true}}
	for _, test := range []struct {
		selection declared.Selection
		isEmpty   bool
	}{
		{declared.Selection{Names: []string{""}}, true},
		{declared.Selection{Names: []string{"", "a"}}, false},
		{declared.Selection{Names: []string{"a"}, Namespaces: []string{""}}, true},
		{declared.Selection{Names: []string{""}, Selector: &metav1.LabelSelector{}}, true},
		{declared.Selection{Selector: &metav1.LabelSelector{}}, false},
	} {
		queries, err := r.newQueries(entry, []declared.Selection{test.selection}, []client.Object{r.parent})
		if err != nil || queries[0].IsEmpty() != test.isEmpty || len(queries[0].Names) > 1 {
			t.Errorf("%+v is %+v, %v", test.selection, queries, err)
		}
	}
}

// anything is a reader to which each object exists.
type anything struct{ client.Reader }

func (anything) Get(context.Context, client.ObjectKey, client.Object, ...client.GetOption) error {
	return nil
}

// A parent may be deleted while the CRD of what it reads is absent. Nothing is retained for it then.
func TestReleaseWhileAKindIsNotServed(t *testing.T) {
	watches := related.NewWatches(related.Caches{Trim: func(object any) (any, error) { return object, nil }})
	entry := &relatedKind{optional: new(optionalKind), index: related.NewIndex(), selected: watches.Selected(secretKind, &corev1.Secret{}, anything{})}
	parent, name := types.NamespacedName{Name: "parent"}, types.NamespacedName{Namespace: "default", Name: "a"}
	_, err := entry.selected.Read(t.Context(), entry.index, parent, []related.Query{{Names: []string{name.Name}, Namespaces: []string{name.Namespace}}})
	if err != nil || entry.selected.ReadsLive(name) {
		t.Fatal("the object is not retained", err)
	}
	entry.release(parent)
	if !entry.selected.ReadsLive(name) {
		t.Error("an object is retained for a parent that is gone")
	}
}

// An optional kind whose informer could not be started is started at the next look.
func TestAnOptionalKindIsStartedAgainAfterAnError(t *testing.T) {
	path := os.Getenv("OPGEN_TEST_KUBECONFIG")
	if path == "" {
		t.Skip("OPGEN_TEST_KUBECONFIG is not set: see CONTRIBUTING.md, Tests")
	}
	config, err := clientcmd.BuildConfigFromFlags("", path)
	if err != nil {
		t.Fatal(err)
	}
	client, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	starts := 0
	optional := newOptionalKind(kind{GroupVersionKind: secretKind, lacksStatus: new(atomic.Bool)})
	optional.start = func() (func() bool, error) {
		if starts++; starts == 1 {
			return func() bool { return true }, errors.New("another replica of the API server does not serve it yet")
		}
		return func() bool { return true }, nil
	}
	all := optionalKinds{discovery: client, every: time.Minute, kinds: []*optionalKind{optional}}
	if all.refreshServed(t.Context()); optional.isServed() {
		t.Error("the kind counts as served although its informer was not started")
	}
	if all.refreshServed(t.Context()); !optional.isServed() || starts != 2 {
		t.Errorf("served: %v, after %d starts", optional.isServed(), starts)
	}
}
