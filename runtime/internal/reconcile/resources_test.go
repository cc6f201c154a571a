package reconcile

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// fakeDiscovery answers with resources by the version of their group, and counts the requests.
type fakeDiscovery struct {
	discovery.ServerResourcesInterface
	served map[string][]metav1.APIResource
	asked  []string
}

func (f *fakeDiscovery) ServerResourcesForGroupVersion(version string) (*metav1.APIResourceList, error) {
	f.asked = append(f.asked, version)
	if version == "broken.example.com/v1" {
		return nil, errors.New("no answer")
	}
	if f.served[version] == nil {
		return nil, apierrors.NewNotFound(schema.GroupResource{}, version)
	}
	return &metav1.APIResourceList{APIResources: f.served[version]}, nil
}

func TestFindStatusesAsksOncePerVersion(t *testing.T) {
	from := &fakeDiscovery{served: map[string][]metav1.APIResource{
		"example.com/v1": {{Name: "gadgets", Kind: "Gadget"}, {Name: "widgets", Kind: "Widget"}, {Name: "widgets/status", Kind: "Widget"}},
	}}
	newKindOf := func(group, name string, cached client.Object) kind {
		empty := new(unstructured.Unstructured)
		empty.SetAPIVersion(group + "/v1")
		empty.SetKind(name)
		if cached == nil {
			cached = empty
		}
		return kind{GroupVersionKind: schema.GroupVersionKind{Group: group, Version: "v1", Kind: name}, empty: empty, cached: cached, lacksStatus: new(atomic.Bool)}
	}
	pods := newKindOf("", "Pod", nil)
	pods.empty = &corev1.Pod{}
	kinds := []kind{
		newKindOf("example.com", "Gadget", nil), newKindOf("example.com", "Widget", nil), pods,
		newKindOf("meta.example.com", "Part", new(metav1.PartialObjectMetadata)), newKindOf("gone.example.com", "Part", nil),
	}
	if err := findStatuses(from, kinds); err != nil {
		t.Fatal(err)
	}
	for i, want := range []bool{true, false, false, false, false} {
		if got := kinds[i].isStatusless(); got != want {
			t.Errorf("%s: got %v, want %v", kinds[i].GroupVersionKind, got, want)
		}
	}
	if got, want := fmt.Sprint(from.asked), "[example.com/v1 gone.example.com/v1]"; got != want {
		t.Errorf("asked for %s, want %s", got, want)
	}
	if err := findStatuses(from, []kind{newKindOf("broken.example.com", "Part", nil)}); err == nil {
		t.Error("an API server that does not answer is no error")
	}
}
