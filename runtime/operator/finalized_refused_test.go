package operator_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	"github.com/opgen-dev/opgen/runtime/operator"
)

// finalizeWith returns a Finalize that desires these children, and says whether it is done.
func finalizeWith(finalized bool, fill func(want *Desired)) customFunction {
	return func(context.Context, *customRequest) (*Response, error) {
		want := new(Desired)
		fill(want)
		return &Response{Children: want, Finalized: finalized}, nil
	}
}

// changed returns a ConfigMap of a version. The content of the second is refused.
func changed(version string) *corev1.ConfigMap {
	child := versioned(version)
	child.Immutable = nil
	if version == "two" { // an invalid change, where nothing refuses it before
		child.Data["a key with spaces"] = ""
	}
	return child
}

// startFinalizing deletes a Site with a ConfigMap, whose Finalize is given.
func startFinalizing(t *testing.T, finalize customFunction, refuse func(c *custom)) (*custom, *testapi.Site) {
	t.Helper()
	c := startCustom(t, customDesire(func(_ *customRequest, want *Desired) {
		want.ConfigMaps.Add(changed("one"), operator.WhenDeleted(operator.Delete))
	}),
		func(d *definition) { d.Finalize = finalize })
	site := c.site("web")
	c.says(site, allReady)
	refuse(c)
	c.Delete(site)
	return c, site
}

// A child that exists and is to go needs no change.
func TestFinalizedDoesNotWaitForAChangeThatIsRefused(t *testing.T) {
	t.Parallel()
	for name, refuse := range contentRefusals {
		if name == "a webhook that fails" { // which may pass by itself
			continue
		}
		t.Run(name, func(t *testing.T) {
			c, site := startFinalizing(t, finalizeWith(true, func(want *Desired) { want.ConfigMaps.Add(changed("two")) }), refuse)
			c.Gone(site)
			c.expectEvent("ConfigMap " + c.Namespace + "/web")
		})
		t.Run(name+", and the child stays by an option", func(t *testing.T) {
			c, site := startFinalizing(t, finalizeWith(true, func(want *Desired) {
				want.ConfigMaps.Add(changed("two"), operator.WhenDeleted(operator.Orphan))
			}), refuse)
			c.Gone(site)
			c.expectOrphaned(configMap("web", ""))
		})
	}
}

// expectEvent waits for an Event of a Site that has this text.
func (c *custom) expectEvent(text string) {
	c.t.Helper()
	c.Eventually("an Event says "+text, func() error {
		notes := strings.Join(eventsOn(c.t, c.Cluster, "Site"), "\n")
		if !strings.Contains(notes, text) {
			return errors.New("the Events say\n" + notes)
		}
		return nil
	})
}

// What the author is to have before the parent goes does hold it, and Ready says so.
func TestFinalizedWaitsForWhatWouldBeLost(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		finalize customFunction
		refuse   func(c *custom) (end func())
		says     string
	}{
		"a child that cannot be created": {finalizeWith(true, func(want *Desired) { want.Secrets.Add(named(&corev1.Secret{}, "backup"), orphaned...) }), func(c *custom) func() {
			return c.Deny(&corev1.Secret{}, "create", metav1.Status{Message: "no"})
		}, "Secret "},
		"an option that cannot be recorded": {finalizeWith(true, func(want *Desired) { want.ConfigMaps.Add(changed("two"), operator.WhenDeleted(operator.Orphan)) }), func(c *custom) func() {
			return c.Deny(&corev1.ConfigMap{}, "update", metav1.Status{Message: "no"})
		}, "ConfigMap "},
	} {
		t.Run(name, func(t *testing.T) {
			var end func()
			c, site := startFinalizing(t, test.finalize, func(c *custom) { end = test.refuse(c) })
			c.saysPart(site, "is being deleted, and waits for "+test.says+c.Namespace, "no", "(Finalize has returned Finalized)")
			end()
			c.Gone(site)
			if test.says == "ConfigMap " {
				c.expectOrphaned(configMap("web", ""))
			}
		})
	}
}

// Without Finalized, Ready names the parent's deletion, too.
func TestReadyOfAParentThatIsDeletedSaysSo(t *testing.T) {
	c, site := startFinalizing(t, finalizeWith(false, func(want *Desired) { want.ConfigMaps.Add(changed("two")) }), func(*custom) {})
	c.saysPart(site, "is being deleted, and waits for ConfigMap "+c.Namespace+"/web: ", "a key with spaces")
	if strings.Contains(site.Status.Conditions[0].Message, "Finalized") {
		t.Errorf("it says %s", site.Status.Conditions[0].Message)
	}
	setFinalize(c, site)
}

// setFinalize lets a Site go whose Finalize never does.
func setFinalize(c *custom, site *testapi.Site) {
	c.Stop()
	c.Update(site, func() { site.Finalizers = nil })
}
