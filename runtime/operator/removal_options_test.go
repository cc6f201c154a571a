package operator_test

import (
	"fmt"
	"maps"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

// removable wants children of which one option says what happens when Sync drops them, which it does
// for the text "none", and another one what happens when the parent goes.
func removable(req *customRequest, want *Desired) {
	if req.Parent.Spec.Text == "none" {
		return
	}
	want.ConfigMaps.Add(configMap("stays-when-dropped", ""), operator.WhenDropped(operator.Orphan), operator.WhenDeleted(operator.Delete))
	want.ConfigMaps.Add(configMap("stays-when-deleted", ""), operator.WhenDropped(operator.Delete), operator.WhenDeleted(operator.Orphan))
	want.Secrets.Add(named(&corev1.Secret{}, "kind-and-dropped"), operator.WhenDropped(operator.Delete))
	want.Secrets.Add(named(&corev1.Secret{}, "kind-and-deleted"), operator.WhenDeleted(operator.Delete))
}

// secretsStay orphans Secrets unless an option says otherwise.
var secretsStay = removals(operator.ChildKind{}, operator.ChildKind{Policies: operator.Policies{WhenDropped: operator.Orphan, WhenDeleted: operator.Orphan}})

func startRemovable(t *testing.T) (*custom, *testapi.Site) {
	t.Helper()
	c := startCustom(t, customDesire(removable), secretsStay)
	site := c.site("web")
	c.Exists(configMap("stays-when-dropped", ""), configMap("stays-when-deleted", ""), named(&corev1.Secret{}, "kind-and-dropped"), named(&corev1.Secret{}, "kind-and-deleted"))
	c.Converged(site)
	return c, site
}

func TestDroppedAndDeletedHaveAnOptionEach(t *testing.T) {
	t.Parallel()
	t.Run("dropped", func(t *testing.T) {
		c, site := startRemovable(t)
		c.touch(site, "none")
		c.expectDropped()
		c.Converged(site)
	})
	t.Run("deleted", func(t *testing.T) {
		c, site := startRemovable(t)
		c.Delete(site)
		c.Gone(site)
		c.Gone(configMap("stays-when-dropped", ""), named(&corev1.Secret{}, "kind-and-deleted"))
		c.expectOrphaned(configMap("stays-when-deleted", ""))
		c.expectOrphaned(named(&corev1.Secret{}, "kind-and-dropped"))
	})
	t.Run("dropped while the operator is down", func(t *testing.T) {
		c, site := startRemovable(t)
		c.Stop()
		c.touch(site, "none")
		c.Restart()
		c.expectDropped()
		c.Converged(site)
	})
	t.Run("dropped, and the operator crashes before it has orphaned the child", func(t *testing.T) {
		c, site := startRemovable(t)
		fault, err := operatortest.ParseFault("patch configmaps 1 before crash")
		if err != nil {
			t.Fatal(err)
		}
		c.Inject(fault)
		c.touch(site, "none")
		c.expectDropped()
		if c.Struck(fault) == 0 {
			t.Error("the operator did not crash")
		}
		c.Converged(site)
	})
}

// expectDropped waits until the children are as Sync has dropped them.
func (c *custom) expectDropped() {
	c.t.Helper()
	c.Gone(configMap("stays-when-deleted", ""), named(&corev1.Secret{}, "kind-and-dropped"))
	c.expectOrphaned(configMap("stays-when-dropped", ""))
	c.expectOrphaned(named(&corev1.Secret{}, "kind-and-deleted"))
}

// stripPolicies takes the annotation off that says what becomes of the child.
func (c *custom) stripPolicies(name string) {
	c.t.Helper()
	child := configMap(name, "")
	c.Update(child, func() {
		maps.DeleteFunc(child.Annotations, func(key, _ string) bool { return key == c.group+"/when-removed" })
	})
}

func TestStrippedDeletionPoliciesAreRestoredBeforeTheyCount(t *testing.T) {
	t.Parallel()
	for name, strip := range map[string]func(c *custom){
		"while the operator runs": func(c *custom) { c.stripPolicies("stays-when-dropped") },
		"while it is down": func(c *custom) {
			c.Stop()
			c.stripPolicies("stays-when-dropped")
			c.Restart()
		},
	} {
		t.Run(name, func(t *testing.T) {
			c, site := startRemovable(t)
			strip(c)
			c.Eventually("the child carries its policies again", c.saying(configMap("stays-when-dropped", ""), site, "whenDropped=Orphan,whenDeleted=Delete"))
			c.touch(site, "none")
			c.expectDropped()
			c.Converged(site)
		})
	}
}

// A child that carries no policies follows those of its kind, as one does that Sync has added without options.
func TestWithoutItsAnnotationTheKindCounts(t *testing.T) {
	c, site := startRemovable(t)
	c.Stop()
	c.stripPolicies("stays-when-dropped")
	c.touch(site, "none")
	c.Restart()
	c.Gone(configMap("stays-when-dropped", ""))
	c.Converged(site)
}

// An earlier version of the runtime had one option for both.
func TestTheAnnotationOfAnEarlierVersionCounts(t *testing.T) {
	c, site := startRemovable(t)
	c.Stop()
	child := configMap("stays-when-deleted", "")
	c.Exists(child)
	patch := fmt.Appendf(nil, `{"metadata": {"annotations": {"%s/when-removed": "Orphan"}}}`, c.group)
	if err := c.Client.Patch(t.Context(), child, client.RawPatch(types.MergePatchType, patch), client.FieldOwner("opgen/site."+c.group)); err != nil {
		t.Fatal(err)
	}
	c.touch(site, "none")
	c.Restart()
	c.expectOrphaned(child)
	c.Converged(site)
}

// Whoever may write a child, and not delete it, does not decide what becomes of it.
func TestDeletionPolicyThatAStrangerWritesOnAChildDoesNotCount(t *testing.T) {
	t.Parallel()
	for policy, kind := range map[operator.DeletionPolicy]operator.DeletionPolicy{operator.Delete: operator.Orphan, operator.Orphan: operator.Delete} {
		t.Run(string(policy), func(t *testing.T) {
			c := startCustom(t, customDesire(func(req *customRequest, want *Desired) {
				if req.Parent.Spec.Text != "none" {
					want.Secrets.Add(named(&corev1.Secret{}, "dropped"))
				}
				want.Secrets.Add(named(&corev1.Secret{}, "deleted"))
			}), removals(operator.ChildKind{}, operator.ChildKind{Policies: operator.Policies{WhenDropped: kind, WhenDeleted: kind}}))
			site := c.site("web")
			c.says(site, allReady)
			children := []client.Object{named(&corev1.Secret{}, "dropped"), named(&corev1.Secret{}, "deleted")}
			c.Exists(children...)
			for _, child := range children {
				c.Update(child, func() {
					annotations := maps.Clone(child.GetAnnotations())
					annotations[c.group+"/when-removed"] = string(policy)
					child.SetAnnotations(annotations)
				})
			}
			c.Settled()
			c.touch(site, "none")
			c.says(site, allReady)
			c.Settled()
			c.Delete(site)
			c.Gone(site)
			for _, child := range children {
				if kind == operator.Delete {
					c.Gone(child)
				} else {
					c.expectOrphaned(child)
				}
			}
		})
	}
}
