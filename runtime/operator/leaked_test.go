package operator_test

import (
	"errors"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	"github.com/opgen-dev/opgen/runtime/operator"
)

// startDistant runs an operator whose Sites want ConfigMaps in another namespace:
// one to be deleted after them, one to be orphaned.
func startDistant(t *testing.T) (c *custom, other string) {
	c = startCustomEverywhere(t, customDesire(func(req *customRequest, want *Desired) {
		if other != "" {
			want.ConfigMaps.Add(distant(other, req.Parent.Name, "hello"))
			want.ConfigMaps.Add(distant(other, req.Parent.Name+"-kept", "hello"), operator.WhenDropped(operator.Orphan), operator.WhenDeleted(operator.Orphan), operator.AdoptIfUnowned)
		}
	}), anywhere)
	other = c.elsewhere()
	return c, other
}

func TestLeakedChildrenAreCleanedUp(t *testing.T) {
	c, other := startDistant(t)
	running, stopped := c.site("running"), c.site("stopped")
	first, second := distant(other, "running", ""), distant(other, "stopped", "")
	c.says(running, allReady)
	c.says(stopped, allReady)
	c.Exists(first, second)

	c.Update(running, func() { metav1.SetMetaDataAnnotation(&running.ObjectMeta, c.group+"/paused", "true") })
	c.Settled()
	c.forceAway(running)
	c.Gone(first)
	c.expectOrphaned(distant(other, "running-kept", ""))
	c.Exists(second)

	c.Stop()
	c.forceAway(stopped)
	c.Restart()
	c.Gone(second)
	c.expectOrphaned(distant(other, "stopped-kept", ""))
	c.Settled()
}

func TestChildrenOfAnEarlierParentAreNotInherited(t *testing.T) {
	c, other := startDistant(t)
	site, child, kept := c.site("web"), distant(other, "web", ""), distant(other, "web-kept", "")
	c.says(site, allReady)
	for _, restarts := range []bool{true, false} {
		c.Exists(child, kept)
		before, stays := child.UID, kept.UID
		if restarts {
			c.Stop()
		} else {
			c.Update(site, func() { metav1.SetMetaDataAnnotation(&site.ObjectMeta, c.group+"/paused", "true") })
			c.Settled()
		}
		c.forceAway(site)
		site = c.site("web")
		if restarts {
			c.Restart()
		}
		c.says(site, allReady)
		c.belongs(child, site)
		c.belongs(kept, site)
		if child.UID == before || kept.UID != stays {
			t.Errorf("the child that goes with its parent was recreated: %v, the one that stays: %v", child.UID != before, kept.UID != stays)
		}
		c.Settled()
	}
}

// leak makes by hand what is left of the child of a Site of the test's namespace
// that is gone, after change.
func (c *custom) leak(namespace, name string, change func(child *corev1.ConfigMap)) *corev1.ConfigMap {
	c.t.Helper()
	child := distant(namespace, name, "")
	child.Labels = map[string]string{c.group + "/site": "uid-of-" + name}
	child.Annotations = map[string]string{c.group + "/parent": "Site.test.opgen.dev/" + c.Namespace + "/gone"}
	if change != nil {
		change(child)
	}
	c.makeAs("opgen/site."+c.group, child)
	return child
}

func (c *custom) makeAs(manager string, object client.Object) {
	c.t.Helper()
	if err := c.Client.Create(c.t.Context(), object, client.FieldOwner(manager)); err != nil {
		c.t.Fatal(err)
	}
}

func TestOnlyMarkedChildrenAreLeaked(t *testing.T) {
	c, other := startDistant(t)
	site := c.site("web")
	c.says(site, allReady)
	c.Settled()
	c.Stop()

	relabelled, renamed := c.leak(other, "relabelled", nil), c.leak(other, "renamed", nil)
	c.Update(relabelled, func() { relabelled.Labels[c.group+"/site"] = "edited" })
	c.Update(renamed, func() { renamed.Annotations[c.group+"/parent"] += "-edited" })
	restored := c.leak(other, "restored", nil)
	c.Update(restored, func() { // as backup tools do after they have made the object
		restored.Data["key"] = "restored" // the API server ignores a change of times alone
		for i := range restored.ManagedFields {
			restored.ManagedFields[i].Time = &metav1.Time{Time: restored.CreationTimestamp.Add(-time.Hour)}
		}
	})
	copied := distant(other, "copied", "")
	copied.Labels = map[string]string{c.group + "/site": "copied"}
	copied.Annotations = map[string]string{c.group + "/parent": "Site.test.opgen.dev/" + c.Namespace + "/gone"}
	c.makeAs("kubectl-create", copied)
	living := c.leak(other, "living", func(child *corev1.ConfigMap) {
		child.Labels[c.group+"/site"] = string(site.UID)
		child.Annotations[c.group+"/parent"] = "Site.test.opgen.dev/" + c.Namespace + "/web"
	})
	genuine := c.leak(other, "genuine", nil)
	c.Restart()
	c.Gone(genuine)
	c.Gone(living) // is the Site's, which does not want it
	c.Settled()
	for _, object := range []*corev1.ConfigMap{relabelled, renamed, restored, copied} {
		if !c.Get(object) {
			t.Errorf("%s was deleted", object.Name)
		}
	}
}

func TestLeakedChildrenOfOthersStay(t *testing.T) {
	t.Parallel()
	for name, limit := range map[string]func(o *operator.Options, other string){
		"parents of another operator's share": func(o *operator.Options, _ string) { o.ParentSelector = "shard=1" },
		"parents in another namespace":        func(o *operator.Options, other string) { o.Namespaces = []string{other} },
	} {
		t.Run(name, func(t *testing.T) {
			c := startCustomEverywhere(t, customDesire(func(*customRequest, *Desired) {}), anywhere)
			other := c.elsewhere()
			c.Stop()
			child := c.leak(other, "left", nil)
			c.limit = func(o *operator.Options) { limit(o, other) }
			c.Restart()
			c.Settled()
			if !c.Get(child) {
				t.Error("it was deleted")
			}
			if errors := c.Errors(named(&testapi.Site{ObjectMeta: metav1.ObjectMeta{Namespace: c.Namespace}}, "gone")); len(errors) > 0 {
				t.Errorf("reconciles of its parent failed: %v", errors)
			}
			c.limit = nil
			c.Restart()
			c.Gone(child)
		})
	}
}

func TestLeakedChildrenGoInTheOrderOfTheTeardown(t *testing.T) {
	t.Parallel()
	for name, again := range map[string]bool{"no parent": false, "another parent": true} {
		t.Run(name, func(t *testing.T) {
			c := startCustom(t, customDesire(func(req *customRequest, want *Desired) {
				if req.Parent.Spec.Text == "hello" {
					want.ConfigMaps.Add(configMap("first", ""))
					want.Secrets.Add(named(&corev1.Secret{}, "second"))
				}
			}), func(d *definition) { d.Teardown = operator.TeardownOrdered })
			parent, first, second := c.site("web"), configMap("first", ""), named(&corev1.Secret{}, "second")
			c.says(parent, allReady)
			c.Exists(first)
			c.Update(second, func() { second.Finalizers = []string{foreignFinalizer} })
			c.Settled()
			c.Stop()
			c.forceAway(parent)
			if again {
				parent = site("web")
				parent.Labels, parent.Spec.Text = map[string]string{c.group: ""}, "nothing"
				c.Create(parent)
			}
			c.Restart()
			c.Eventually("the last kind goes first", func() error {
				if c.Get(second); second.DeletionTimestamp == nil {
					return errors.New("it is not being deleted")
				}
				return nil
			})
			c.Settled()
			if !c.Get(first) {
				t.Error("the first kind is gone before the last")
			}
			c.Update(second, func() { second.Finalizers = nil })
			c.Gone(second, first)
		})
	}
}
