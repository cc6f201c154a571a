package apply

import (
	"encoding/json"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/applyconfigurations"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/structured-merge-diff/v6/typed"

	"github.com/opgen-dev/opgen/runtime/internal/managedfields"
)

// BenchmarkLibrary compares this package's JSON and comparison with those of
// structured-merge-diff and encoding/json. The library compares kinds of Kubernetes only, by their
// schema.
func BenchmarkLibrary(b *testing.B) {
	converter := applyconfigurations.NewTypeConverter(clientgoscheme.Scheme)
	for _, kind := range typical {
		live, d := typicalLive(b, kind.name, kind.make()), typicalDesired(b, kind.make())
		live.GetObjectKind().SetGroupVersionKind(d.Kind)
		manager := live.GetManagedFields()[0].Manager
		raw, content := managedfields.Entry(live, manager, metav1.ManagedFieldsOperationApply, ""), d.contentWith("", "")
		typed := func(object runtime.Object) *typed.TypedValue {
			value, err := converter.ObjectToTyped(object)
			if err != nil {
				b.Fatal(err)
			}
			return value
		}
		for name, run := range map[string]func(){
			"encode/own":     func() { _ = encodeJSON(content, func([]byte) {}) },
			"encode/library": func() { _, _ = json.Marshal(content) },
			"compare/own": func() {
				owned, err := readOwnedFields(manager, d, live)
				if err != nil || len(owned.differs) > 0 || !owned.hasAllDesired() {
					b.Fatal(owned, err)
				}
			},
			"compare/library": func() {
				set, desired := managedfields.Parse(raw), typed(&unstructured.Unstructured{Object: content})
				desiredSet, err := desired.ToFieldSet()
				if err != nil {
					b.Fatal(err)
				}
				set.Difference(desiredSet)
				desiredSet.Difference(set)
				if _, err := typed(live).ExtractItems(set).Compare(desired); err != nil {
					b.Fatal(err)
				}
			},
		} {
			b.Run(kind.name+"/"+name, func(b *testing.B) { measure(b, run) })
		}
	}
}
