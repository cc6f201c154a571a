package operator_test

import (
	"context"
	"fmt"
	"strconv"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	"github.com/opgen-dev/opgen/runtime/operator"
)

// Children that a parent reads as related objects, too, come from two caches.
func TestRelatedObjectsAreNoOlderThanOurOwnWrites(t *testing.T) {
	for name, test := range map[string]struct {
		changes int
		entry   operator.RelatedKind
		selects func(group string, made int) operator.Selection
	}{
		"a fixed selector":        {60, operator.RelatedKind{Selector: "%s/site"}, nil},
		"names with a watch each": {40, operator.RelatedKind{Dynamic: true}, selectCounted},
		"a watch of metadata": {60, operator.RelatedKind{Dynamic: true}, func(group string, _ int) operator.Selection {
			exists := metav1.LabelSelectorRequirement{Key: group + "/site", Operator: metav1.LabelSelectorOpExists}
			return operator.Selection{Selector: &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{exists}}}
		}},
		"reads of each reconcile": {30, operator.RelatedKind{Dynamic: true, Access: operator.AccessGet}, selectCounted},
	} {
		t.Run(name, func(t *testing.T) {
			countChanges(t, test.changes, test.entry, test.selects)
		})
	}
}

// selectCounted selects the children that countChanges makes by their names.
func selectCounted(_ string, made int) operator.Selection {
	selected := []string{"counter"}
	for i := range made {
		selected = append(selected, fmt.Sprint("c", i))
	}
	return operator.Selection{Names: selected}
}

// countChanges has a Sync make one change after the other of children that an entry of related
// objects selects, too, and compares both in each reconcile.
func countChanges(t *testing.T, changes int, entry operator.RelatedKind, selects func(group string, made int) operator.Selection) {
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
			bound := entry
			bound.Object, bound.Fields = &corev1.ConfigMap{}, operator.BindRelated(&related.ConfigMaps)
			if bound.Selector != "" {
				bound.Selector = fmt.Sprintf(bound.Selector, d.Group)
			}
			return []operator.RelatedKind{bound}
		}
		if selects != nil {
			group := d.Group
			d.Select = func(context.Context, *testapi.Site) ([][]operator.Selection, error) {
				return [][]operator.Selection{{selects(group, changes)}}, nil
			}
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
