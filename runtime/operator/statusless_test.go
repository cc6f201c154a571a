package operator_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

// withStatus returns a CRD whose version has a status subresource.
func withStatus(crd *unstructured.Unstructured) *unstructured.Unstructured {
	crd = crd.DeepCopy()
	version := crd.Object["spec"].(map[string]any)["versions"].([]any)[0].(map[string]any)
	version["subresources"] = map[string]any{"status": map[string]any{}}
	return crd
}

// gadgetKinds are the kinds with Gadgets of a group in place of the ServiceAccounts.
func gadgetKinds(group string, isOptional bool) func(*Children, *Desired) []operator.ChildKind {
	return func(observed *Children, desired *Desired) []operator.ChildKind {
		described := kinds(observed, desired)
		described[len(described)-1] = operator.ChildKind{Object: operator.Unstructured(group+"/v1", "Gadget"), Optional: isOptional, Fields: operator.Bind(&observed.Accounts, &desired.Accounts)}
		return described
	}
}

// gadgetAndSecret desires a Gadget, and a Secret after it. The status says how the Gadget is, as a child
// and as a related object.
func gadgetAndSecret(group string) customFunction {
	return func(_ context.Context, req *customRequest) (*Response, error) {
		want, gadget := new(Desired), operator.Unstructured(group+"/v1", "Gadget")
		gadget.SetName("web")
		want.Accounts.Add(gadget)
		want.Secrets.Add(named(&corev1.Secret{}, "later"), operator.After(gadget))
		of := req.Children.Accounts.Health("web")
		phase := fmt.Sprintf("%s %v %s", of.State, req.Related.Gadgets.Ready("web"), of.Message)
		return &Response{Children: want, Status: &testapi.Status{Phase: phase}}, nil
	}
}

// startGadgets starts an operator of Gadgets with a CRD that exists before.
func startGadgets(t *testing.T, group string, crd *unstructured.Unstructured) *custom {
	t.Helper()
	t.Parallel()
	file, content := filepath.Join(t.TempDir(), "crd.yaml"), new(strings.Builder)
	if err := json.NewEncoder(content).Encode(crd); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(content.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	c := addCustomWith(t, func(config *operatortest.Config) { config.CRDs = append(config.CRDs, file) }, gadgetAndSecret(group), func(d *definition) {
		d.Kinds = gadgetKinds(group, false)
		d.Related = func(related *Related) []operator.RelatedKind {
			return []operator.RelatedKind{{Object: operator.Unstructured(group+"/v1", "Gadget"), Fields: operator.BindRelated(&related.Gadgets)}}
		}
	}, func(o *operator.Options) { o.Namespaces = nil })
	t.Cleanup(func() { _ = c.Client.Delete(context.Background(), crd) })
	return c
}

func TestACustomResourceWithoutAStatusIsReadyWhenItExists(t *testing.T) {
	group := strings.ToLower(rand.Text()[:10]) + ".test.opgen.dev"
	c := startGadgets(t, group, gadgetsOf(group))
	site := c.site("web")
	c.says(site, allReady)
	c.Exists(named(&corev1.Secret{}, "later"))
	c.phase(site, "Ready true ")
	c.Converged(site)

	// A status that somebody writes nevertheless counts.
	gadget := operator.Unstructured(group+"/v1", "Gadget")
	gadget.SetName("web")
	set := func(ready string) {
		c.Update(gadget, func() {
			gadget.Object["status"] = map[string]any{"conditions": []any{map[string]any{"type": "Ready", "status": ready, "message": "is broken"}}}
		})
	}
	set("False")
	c.says(site, "Gadget web is broken; Secret later waits for Gadget "+c.Namespace+"/web")
	c.phase(site, "InProgress false is broken")
	set("True")
	c.says(site, allReady)
	set("False")
	c.MakeReady(gadget)
	c.says(site, allReady)
}

func TestACustomResourceWithAStatusHasToSayThatItIsReady(t *testing.T) {
	group := strings.ToLower(rand.Text()[:10]) + ".test.opgen.dev"
	c := startGadgets(t, group, withStatus(gadgetsOf(group)))
	site, gadget := c.site("web"), operator.Unstructured(group+"/v1", "Gadget")
	gadget.SetName("web")
	c.says(site, "Gadget web has no condition Ready=True; Secret later waits for Gadget "+c.Namespace+"/web")
	c.phase(site, "InProgress false has no condition Ready=True")
	c.Settled()
	c.lacks(named(&corev1.Secret{}, "later"))
	c.MakeReady(gadget)
	c.says(site, allReady)
	c.phase(site, "Ready true ")
}

// The CRD of an optional kind may come in a version with a status subresource, and again in one without.
func TestAnOptionalKindIsLookedAtWheneverItComes(t *testing.T) {
	group := strings.ToLower(rand.Text()[:10]) + ".test.opgen.dev"
	c := startCustom(t, gadgetAndSecret(group), func(d *definition) { d.Kinds = gadgetKinds(group, true) })
	site := c.site("web")
	for _, step := range []struct {
		crd  *unstructured.Unstructured
		says string
	}{
		{withStatus(gadgetsOf(group)), "Gadget web has no condition Ready=True"},
		{gadgetsOf(group), allReady},
		{withStatus(gadgetsOf(group)), "Gadget web has no condition Ready=True"},
	} {
		c.saysPart(site, "Gadget web waits until the API server serves its kind")
		c.installGadgets(step.crd)
		c.saysPart(site, step.says)
		if err := c.Client.Delete(t.Context(), step.crd); err != nil {
			t.Fatal(err)
		}
		c.Eventually("the CRD is gone", func() error {
			if err := c.Client.Get(t.Context(), client.ObjectKeyFromObject(step.crd), step.crd.DeepCopy()); err == nil {
				return fmt.Errorf("it is not")
			}
			return nil
		})
	}
	c.Delete(site)
	c.Gone(site)
}

// A Gadget that was ready before a change is not ready because of that.
func TestAfterWaitsForTheConditionOfThePresentGeneration(t *testing.T) {
	group := strings.ToLower(rand.Text()[:10]) + ".test.opgen.dev"
	c := startGadgets(t, group, withStatus(gadgetsOf(group)))
	c.setSync(customDesire(func(req *customRequest, want *Desired) {
		gadget := operator.Unstructured(group+"/v1", "Gadget")
		gadget.SetName("web")
		gadget.Object["spec"] = map[string]any{"text": req.Parent.Spec.Text}
		want.Accounts.Add(gadget)
		want.ConfigMaps.Add(configMap("later", req.Parent.Spec.Text), operator.After(gadget))
	}))
	site, gadget, later := c.siteOf("web", "one"), operator.Unstructured(group+"/v1", "Gadget"), configMap("later", "")
	gadget.SetName("web")
	c.Exists(gadget)
	saysReady := func() {
		c.UpdateStatus(gadget, func() {
			gadget.Object["status"] = map[string]any{"conditions": []any{map[string]any{"type": "Ready", "status": "True", "observedGeneration": gadget.GetGeneration()}}}
		})
	}
	saysReady()
	c.says(site, allReady)
	c.touch(site, "two")
	c.says(site, "Gadget web has a change that its controller has not seen; ConfigMap later waits for Gadget "+c.Namespace+"/web")
	if err := expectValue(c.Cluster, later, "one"); err != nil {
		t.Error(err)
	}
	saysReady()
	c.says(site, allReady)
	if err := expectValue(c.Cluster, later, "two"); err != nil {
		t.Error(err)
	}
}
