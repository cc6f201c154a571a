package operator_test

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/operator"
)

// The field managers of others are half of the metadata, in every cache.
func TestCachesHoldNoFieldManagersOfOthers(t *testing.T) {
	var mu sync.Mutex
	seen := map[string]client.Object{} // by what it is
	c := startCustom(t, func(_ context.Context, req *customRequest) (*Response, error) {
		want := new(Desired)
		desireOne(want)
		want.Secrets.Add(named(&corev1.Secret{}, "web"))
		mu.Lock()
		defer mu.Unlock()
		seen["parent"] = req.Parent
		for child := range req.Children.ConfigMaps.All() {
			seen["child"] = child
		}
		for related := range req.Related.ConfigMaps.All() {
			seen["related"] = related
		}
		return &Response{Children: want}, nil
	}, func(d *definition) {
		d.Related = func(related *Related) []operator.RelatedKind {
			return []operator.RelatedKind{{Object: &corev1.ConfigMap{}, Name: "read", Fields: operator.BindRelated(&related.ConfigMaps)}}
		}
	})
	objects := map[string]client.Object{"related": configMap("read", "one")}
	c.Create(objects["related"])
	objects["parent"], objects["child"] = c.site("web"), configMap("web", "")
	c.Exists(objects["child"])
	const changed = "changed-by-another"
	for _, object := range objects {
		c.Update(object, func() {
			annotations := map[string]string{changed: "true"}
			maps.Copy(annotations, object.GetAnnotations())
			object.SetAnnotations(annotations)
		})
	}
	for what := range objects {
		c.Eventually("a reconcile sees what another has changed", func() error {
			mu.Lock()
			defer mu.Unlock()
			object := seen[what]
			if object == nil {
				return fmt.Errorf("no %s is seen", what)
			}
			if _, ok := object.GetAnnotations()[changed]; !ok {
				return fmt.Errorf("the %s has annotations %v", what, object.GetAnnotations())
			}
			return nil
		})
		mu.Lock()
		for _, entry := range seen[what].GetManagedFields() {
			if !isOurs(entry) {
				t.Errorf("the %s says what field manager %s has set", what, entry.Manager)
			}
		}
		mu.Unlock()
	}
}

func isOurs(entry metav1.ManagedFieldsEntry) bool { return strings.HasPrefix(entry.Manager, "opgen/") }
