package operator_test

import (
	"context"
	"crypto/rand"
	"errors"
	"strconv"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

// setServed has the API server serve the first version of a CRD, or not.
func setServed(t *testing.T, cluster *operatortest.Cluster, crd *unstructured.Unstructured, isServed bool) {
	t.Helper()
	cluster.Update(crd, func() {
		versions := crd.Object["spec"].(map[string]any)["versions"].([]any)
		versions[0].(map[string]any)["served"] = isServed
	})
}

// The version that the operator knows of an optional kind goes, and its objects do not: a parent waits for them.
func TestChildOfAnOptionalKindWhoseVersionGoesIsNotLeftBehind(t *testing.T) {
	gadgets := strings.ToLower(rand.Text()[:10]) + ".test.opgen.dev"
	crd := gadgetsOf(gadgets)
	spec := crd.Object["spec"].(map[string]any)
	second := crd.DeepCopy().Object["spec"].(map[string]any)["versions"].([]any)[0].(map[string]any)
	second["name"], second["storage"] = "v2", false
	spec["versions"] = append(spec["versions"].([]any), second)
	gadget := operator.Unstructured(gadgets+"/v1", "Gadget")
	gadget.SetName("web")
	c := startCustom(t, customDesire(func(req *customRequest, want *Desired) {
		want.ConfigMaps.Add(configMap("served", strconv.FormatBool(req.Children.Accounts.Served())))
		want.Accounts.Add(gadget.DeepCopy())
	}), func(d *definition) {
		d.Teardown = operator.TeardownOrdered
		d.Kinds = func(observed *Children, desired *Desired) []operator.ChildKind {
			all := kinds(observed, desired)
			all[4] = operator.ChildKind{Object: operator.Unstructured(gadgets+"/v1", "Gadget"), Optional: true, Fields: operator.Bind(&observed.Accounts, &desired.Accounts)}
			return all
		}
	})
	c.installGadgets(crd)
	site := c.site("web")
	served := func(text string) {
		t.Helper()
		c.Eventually("Sync sees that served is "+text, func() error { return expectValue(c.Cluster, configMap("served", ""), text) })
	}
	served("true")
	made := operator.Unstructured(gadgets+"/v2", "Gadget")
	made.SetName("web")
	made.SetNamespace(c.Namespace)
	c.Eventually("the Gadget exists", func() error { return c.Client.Get(t.Context(), client.ObjectKeyFromObject(made), made) })
	c.Settled()
	setServed(t, c.Cluster, crd, false)
	served("false")
	c.Settled()
	c.Delete(site)
	c.saysPart(site, "the API server serves the kind, and not in version v1")
	c.Exists(made)
	setServed(t, c.Cluster, crd, true)
	c.Gone(site)
	c.Eventually("the Gadget is gone", func() error {
		if err := c.Client.Get(t.Context(), client.ObjectKeyFromObject(made), made); !apierrors.IsNotFound(err) {
			return errors.Join(errors.New("it is not"), err)
		}
		return nil
	})
}

// Whoever deletes the CRD of the parents keeps no child of a kind that forbids it.
func TestCRDThatIsDeletedKeepsNoPowerfulChild(t *testing.T) {
	t.Parallel()
	group := strings.ToLower(rand.Text()[:10]) + ".test.opgen.dev"
	crd := gadgetsOf(group)
	cluster := operatortest.Start(t, operatortest.Config{
		Controllers: func(operator.Manager) ([]operator.Controller, error) {
			return []operator.Controller{operator.NewController(operator.Definition[*unstructured.Unstructured, struct{}, Children, Desired, struct{}]{
				Name: "gadget", Group: group, Schemes: runtime.SchemeBuilder{corev1.AddToScheme},
				Parents: []operator.ParentKind{{Object: operator.Unstructured(group+"/v1", "Gadget")}},
				Kinds: func(observed *Children, desired *Desired) []operator.ChildKind {
					all := kinds(observed, desired)
					all[1].ForbidDisconnect = true
					return all
				},
				Sync: func(context.Context, *operator.Request[*unstructured.Unstructured, Children, struct{}]) (*operator.Response[Desired, struct{}], error) {
					want := new(Desired)
					want.Secrets.Add(named(&corev1.Secret{}, "powerful"))
					return &operator.Response[Desired, struct{}]{Children: want}, nil
				},
			})}, nil
		},
	})
	c := &custom{Cluster: cluster, t: t, group: group}
	c.installGadgets(crd)
	gadget, secret := operator.Unstructured(group+"/v1", "Gadget"), named(&corev1.Secret{}, "powerful")
	gadget.SetName("web")
	gadget.SetNamespace(c.Namespace)
	c.Eventually("the API server takes Gadgets", func() error { return c.Client.Create(t.Context(), gadget) })
	c.Exists(secret)
	c.Settled()
	c.Stop()
	if err := c.Client.Delete(t.Context(), crd.DeepCopy(), client.PropagationPolicy(metav1.DeletePropagationOrphan)); err != nil {
		t.Fatal(err)
	}
	c.Restart()
	c.Gone(secret)
	c.Eventually("the CRD is gone", func() error {
		if err := c.Client.Get(t.Context(), client.ObjectKeyFromObject(crd), crd.DeepCopy()); err == nil {
			return errors.New("it is not")
		}
		return nil
	})
}
