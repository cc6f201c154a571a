package operator_test

import (
	"context"
	"fmt"
	"strconv"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	"github.com/opgen-dev/opgen/runtime/operator"
)

// Children that a parent reads as related objects, too, come from two caches.
func TestRelatedObjectsAreNoOlderThanOurOwnWrites(t *testing.T) {
	const changes = 60
	c := startCustom(t, func(_ context.Context, req *customRequest) (*Response, error) {
		versions := func(all func(func(*corev1.ConfigMap) bool)) map[client.ObjectKey]string {
			found := map[client.ObjectKey]string{}
			for object := range all {
				found[client.ObjectKeyFromObject(object)] = object.Data["key"]
			}
			return found
		}
		children, related := versions(req.Children.ConfigMaps.All()), versions(req.Related.ConfigMaps.All())
		if fmt.Sprint(children) != fmt.Sprint(related) {
			t.Errorf("children are %v, related objects are %v", children, related)
		}
		n := 0
		if counter, ok := req.Children.ConfigMaps.Get("counter"); ok {
			n, _ = strconv.Atoi(counter.Data["key"])
		}
		want := new(Desired)
		want.ConfigMaps.Add(configMap("counter", strconv.Itoa(min(n+1, changes))))
		if n < changes { // a new one in each reconcile, and the one before goes
			want.ConfigMaps.Add(configMap(fmt.Sprint("c", n), ""))
		}
		return &Response{Children: want, Status: &testapi.Status{}}, nil
	}, func(d *definition) {
		d.Related = func(related *Related) []operator.RelatedKind {
			return []operator.RelatedKind{{Object: &corev1.ConfigMap{}, Selector: d.Group + "/site", Fields: operator.BindRelated(&related.ConfigMaps)}}
		}
	})
	c.site("web")
	counter := configMap("counter", "")
	for _, n := range []int{changes / 3, changes * 2 / 3, changes} { // each within the time of one Eventually
		c.Eventually(fmt.Sprint(n, " changes are made"), func() error {
			c.Get(counter)
			if made, _ := strconv.Atoi(counter.Data["key"]); made < n {
				return fmt.Errorf("it holds %d", made)
			}
			return nil
		})
	}
	c.Settled()
	c.Stop() // before somebody else deletes the namespace
}
