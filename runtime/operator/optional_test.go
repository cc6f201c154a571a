package operator_test

import (
	"context"
	"crypto/rand"
	"errors"
	"strconv"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	"github.com/opgen-dev/opgen/runtime/operator"
)

// installGadgets installs a CRD until the test ends, or it is uninstalled.
func (c *custom) installGadgets(crd *unstructured.Unstructured) {
	c.t.Helper()
	if err := c.Client.Create(c.t.Context(), crd.DeepCopy()); err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { _ = c.Client.Delete(context.Background(), crd.DeepCopy()) })
}

// A ServiceMonitor is of use where Prometheus is, and no reason to fail elsewhere.
func TestOptionalKindComesGoesAndComesAgain(t *testing.T) {
	gadgets := strings.ToLower(rand.Text()[:10]) + ".test.opgen.dev"
	gadget, crd := operator.Unstructured(gadgets+"/v1", "Gadget"), gadgetsOf(gadgets)
	gadget.SetName("web")
	desired := gadget.DeepCopy()
	c := startCustom(t, customDesire(func(req *customRequest, want *Desired) {
		want.ConfigMaps.Add(configMap("served", strconv.FormatBool(req.Children.Accounts.Served())))
		if req.Parent.Spec.Text != "without" || req.Children.Accounts.Served() {
			want.Accounts.Add(desired.DeepCopy())
			want.Secrets.Add(named(&corev1.Secret{}, "later"), operator.After(desired))
		}
		if !req.Children.ConfigMaps.Served() {
			panic("a kind that is not optional is not served")
		}
	}), func(d *definition) {
		d.Kinds = func(observed *Children, desired *Desired) []operator.ChildKind {
			described := kinds(observed, desired)
			for i := range described {
				if described[i].Object.GetObjectKind().GroupVersionKind().Kind == "ServiceAccount" {
					described[i] = operator.ChildKind{Object: operator.Unstructured(gadgets+"/v1", "Gadget"), Optional: true, Rules: operator.Rules{ReadyWhen: func(client.Object) (bool, error) { return true, nil }}, Fields: operator.Bind(&observed.Accounts, &desired.Accounts)}
				}
			}
			return described
		}
	})
	site := c.site("web")
	served := func(text string) {
		t.Helper()
		c.Eventually("Sync sees that served is "+text, func() error { return expectValue(c.Cluster, configMap("served", ""), text) })
	}
	gadget.SetNamespace(c.Namespace)
	served("false")
	c.saysPart(site, "Gadget web waits until the API server serves its kind")
	c.saysPart(site, "Secret later waits for Gadget web")
	if errs := c.Errors(site); len(errs) > 0 {
		t.Errorf("errors %v", errs)
	}
	c.touch(site, "without")
	c.says(site, allReady)

	for range 2 {
		c.installGadgets(crd)
		served("true")
		c.Exists(named(&corev1.Secret{}, "later"))
		c.Eventually("the Gadget exists", func() error { return c.Client.Get(t.Context(), client.ObjectKeyFromObject(gadget), gadget) })
		c.says(site, allReady)
		if err := c.Client.Delete(t.Context(), gadget); err != nil { // an event, as for any other child
			t.Fatal(err)
		}
		before := gadget.GetUID()
		c.Eventually("the Gadget exists again", func() error {
			if err := c.Client.Get(t.Context(), client.ObjectKeyFromObject(gadget), gadget); err != nil || gadget.GetUID() == before {
				return errors.New("it does not")
			}
			return nil
		})
		if err := c.Client.Delete(t.Context(), crd.DeepCopy()); err != nil {
			t.Fatal(err)
		}
		served("false")
		c.Eventually("the CRD is gone", func() error {
			if err := c.Client.Get(t.Context(), client.ObjectKeyFromObject(crd), crd.DeepCopy()); err == nil {
				return errors.New("it is not")
			}
			return nil
		})
		c.says(site, allReady)
	}
	c.touch(site, "with")
	c.saysPart(site, "Gadget web waits until the API server serves its kind")
	c.Delete(site)
	c.Gone(site)
}

// Sync reads what others have of a kind that may not be there, in each way in which an entry can say
// what is meant.
func TestRelatedKindMayBeAbsent(t *testing.T) {
	t.Parallel()
	for name, entry := range map[string]operator.RelatedKind{
		"all of them":       {},
		"by its name":       {Name: "theirs"},
		"by a name of each": {NameFrom: ".spec.text"},
		"read live":         {NameFrom: ".spec.text", Access: operator.AccessGet},
	} {
		t.Run(name, func(t *testing.T) {
			gadgets := strings.ToLower(rand.Text()[:10]) + ".test.opgen.dev"
			theirs, crd := operator.Unstructured(gadgets+"/v1", "Gadget"), gadgetsOf(gadgets)
			theirs.SetName("theirs")
			c := startCustom(t, func(_ context.Context, req *customRequest) (*Response, error) {
				phase := strconv.FormatBool(req.Related.Gadgets.Served())
				for gadget := range req.Related.Gadgets.All() {
					phase += " " + gadget.GetName()
				}
				return &Response{Children: new(Desired), Status: &testapi.Status{Phase: phase}}, nil
			}, func(d *definition) {
				d.Related = func(related *Related) []operator.RelatedKind {
					described := entry
					described.Object, described.Optional, described.Fields = operator.Unstructured(gadgets+"/v1", "Gadget"), true, operator.BindRelated(&related.Gadgets)
					return []operator.RelatedKind{described}
				}
			})
			site := c.site("web")
			c.touch(site, "theirs")
			c.phase(site, "false")
			for range 2 {
				c.installGadgets(crd)
				c.phase(site, "true")
				theirs.SetNamespace(c.Namespace)
				made := theirs.DeepCopy()
				c.Eventually("the API server takes Gadgets", func() error { return c.Client.Create(t.Context(), made) })
				if entry.Access == operator.AccessGet {
					c.Reconciled(site) // no event comes
				}
				c.phase(site, "true theirs")
				if err := c.Client.Delete(t.Context(), crd.DeepCopy()); err != nil {
					t.Fatal(err)
				}
				c.phase(site, "false")
				c.Eventually("the CRD is gone", func() error {
					if err := c.Client.Get(t.Context(), client.ObjectKeyFromObject(crd), crd.DeepCopy()); err == nil {
						return errors.New("it is not")
					}
					return nil
				})
			}
		})
	}
}
