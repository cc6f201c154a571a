package operator_test

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// What the API server refuses blames no other writer, however often and soon it is tried again.
func TestRefusedWritesAreNoConflict(t *testing.T) {
	t.Parallel()
	child := configMap("web", "")
	for name, test := range map[string]struct {
		verb   string
		change func(c *custom)
	}{
		"a creation": {"create", func(c *custom) { c.Delete(configMap("web", "")) }},
		"a repair": {"update", func(c *custom) {
			edited := configMap("web", "")
			c.Update(edited, func() { edited.Data = map[string]string{"key": "theirs"} })
		}},
	} {
		t.Run(name, func(t *testing.T) {
			c := startCustom(t, customDesire(func(_ *customRequest, want *Desired) { want.ConfigMaps.Add(configMap("web", "ours")) }), nil)
			site := c.site("web")
			c.Converged(site)
			if test.verb == "update" { // before the policy, so that the edit passes
				c.Stop()
				test.change(c)
			}
			end := c.DenyByPolicy(child, test.verb, metav1.Status{Message: "the policy says no"})
			if test.verb == "update" {
				c.Restart()
			} else {
				test.change(c)
			}
			c.saysPart(site, "the policy says no")
			for range 5 {
				c.Reconcile(site)
				c.Get(site)
				ready := meta.FindStatusCondition(site.Status.Conditions, "Ready")
				if ready.Reason == "FieldConflict" || !strings.Contains(ready.Message, "the policy says no") {
					t.Fatalf("Ready says %s: %s", ready.Reason, ready.Message)
				}
			}
			end()
			c.Reconcile(site)
			c.says(site, allReady)
			// The next change of somebody else is the first one.
			if test.verb == "update" {
				test.change(c)
			} else {
				c.Delete(configMap("web", ""))
			}
			c.Eventually("the child is repaired", func() error { return expectValue(c.Cluster, named(&corev1.ConfigMap{}, "web"), "ours") })
			c.says(site, allReady)
			for _, event := range eventsOn(t, c.Cluster, "Site") {
				if strings.Contains(event, "somebody") || strings.Contains(event, "keeps") {
					t.Errorf("an Event says %s", event)
				}
			}
		})
	}
}

// Somebody's deletions are still told from refusals.
func TestDeletionsAreStillAConflict(t *testing.T) {
	c := startCustom(t, customDesire(func(_ *customRequest, want *Desired) { want.ConfigMaps.Add(configMap("web", "")) }), nil)
	site := c.site("web")
	c.Converged(site)
	for range 3 {
		c.Exists(configMap("web", ""))
		c.Settled()
		c.Delete(configMap("web", ""))
	}
	c.saysPart(site, "somebody keeps deleting it")
	end := c.Deny(&corev1.ConfigMap{}, "create", metav1.Status{Message: "the policy says no"})
	c.Advance(15 * time.Second)
	c.saysPart(site, "the policy says no")
	end()
	c.Advance(time.Minute)
	c.says(site, allReady)
}
