package operator_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

// rightsWithoutSecrets are the rights of an operator of Sites, except those for Secrets.
const rightsWithoutSecrets = `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: site}
rules:
- {apiGroups: [test.opgen.dev], resources: [sites, sites/status, sites/finalizers], verbs: [get, list, watch, patch, update]}
- {apiGroups: [""], resources: [configmaps], verbs: [get, list, watch, create, patch, delete]}
- {apiGroups: ["*"], resources: [gadgets], verbs: [get, list, watch, create, patch, delete]}
- {apiGroups: ["", events.k8s.io], resources: [events], verbs: [create, patch]}
`

// gadgetsOf returns a CRD of a group that no other test has.
func gadgetsOf(group string) *unstructured.Unstructured {
	crd := operator.Unstructured("apiextensions.k8s.io/v1", "CustomResourceDefinition")
	crd.SetName("gadgets." + group)
	crd.Object["spec"] = map[string]any{
		"group": group, "scope": "Namespaced", "names": map[string]any{"kind": "Gadget", "listKind": "GadgetList", "plural": "gadgets", "singular": "gadget"},
		"versions": []any{map[string]any{"name": "v1", "served": true, "storage": true, "schema": map[string]any{
			"openAPIV3Schema": map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true},
		}}},
	}
	return crd
}

// probe returns what a probe answers.
func probe(t *testing.T, url string) (code int, text string) {
	t.Helper()
	response, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(body)
}

// A process is one for all controllers of a project. What one of them lacks does not stop the others.
func TestOnlyTheControllerThatLacksAKindOrARightWaits(t *testing.T) {
	t.Parallel()
	roles := filepath.Join(t.TempDir(), "roles.yaml")
	if err := os.WriteFile(roles, []byte(rightsWithoutSecrets), 0o600); err != nil {
		t.Fatal(err)
	}
	address, group := freeAddress(t), strings.ToLower(rand.Text()[:10])+".test.opgen.dev"
	gadgets := group
	define := func(name string, kind func(*Children, *Desired) operator.ChildKind, add func(*Desired)) operator.Controller {
		return operator.NewController(definition{
			Name: name, Group: name + "." + group,
			Parents: []operator.ParentKind{{Object: &testapi.Site{}, Labels: group}},
			Schemes: runtime.SchemeBuilder{testapi.AddToScheme},
			Status:  func(s *testapi.Site) *testapi.Status { return new(testapi.Status) },
			Kinds: func(observed *Children, desired *Desired) []operator.ChildKind {
				return []operator.ChildKind{kind(observed, desired)}
			},
			Sync: func(context.Context, *customRequest) (*Response, error) {
				want := new(Desired)
				add(want)
				return &Response{Children: want}, nil
			},
		})
	}
	gadget := operator.Unstructured(gadgets+"/v1", "Gadget")
	gadget.SetName("lacks-kind")
	desired := gadget.DeepCopy()
	secret, here := named(&corev1.Secret{}, "lacks-right"), configMap("works", "")
	c := &custom{t: t, group: group}
	c.Cluster = operatortest.Start(t, operatortest.Config{
		Controllers: func(operator.Manager) ([]operator.Controller, error) {
			return []operator.Controller{
				define("lacks-kind", func(observed *Children, desired *Desired) operator.ChildKind {
					return operator.ChildKind{Object: operator.Unstructured(gadgets+"/v1", "Gadget"), Fields: operator.Bind(&observed.Accounts, &desired.Accounts)}
				}, func(want *Desired) { want.Accounts.Add(desired.DeepCopy()) }),
				define("lacks-right", func(observed *Children, desired *Desired) operator.ChildKind {
					return operator.ChildKind{Object: &corev1.Secret{}, Fields: operator.Bind(&observed.Secrets, &desired.Secrets)}
				}, func(want *Desired) { want.Secrets.Add(named(&corev1.Secret{}, "lacks-right")) }),
				define("works", func(observed *Children, desired *Desired) operator.ChildKind {
					return operator.ChildKind{Object: &corev1.ConfigMap{}, Fields: operator.Bind(&observed.ConfigMaps, &desired.ConfigMaps)}
				}, func(want *Desired) { want.ConfigMaps.Add(configMap("works", "")) }),
			}, nil
		},
		CRDs:    []string{"../internal/testapi/crds.yaml"},
		Schemes: runtime.SchemeBuilder{testapi.AddToScheme},
		Roles:   roles, LacksRights: true,
		Options: func(o *operator.Options) { o.Namespaces, o.HealthAddress = nil, address },
	})
	site := c.site("web")
	c.Exists(here)
	if code, _ := probe(t, "http://"+address+"/readyz"); code != http.StatusInternalServerError {
		t.Errorf("/readyz answers %d while two controllers do not work", code)
	}
	_, text := probe(t, "http://"+address+"/readyz?verbose")
	for _, part := range []string{"[+]controller-works ok", "[-]controller-lacks-kind failed: waits: the API server does not know kind Gadget", "[-]controller-lacks-right failed: waits: the operator's role does not allow to list and watch Secret: make deploy applies the generated role, and --namespace asks for some namespaces only: "} {
		if !strings.Contains(text, part) {
			t.Errorf("/readyz?verbose does not say %q:\n%s", part, text)
		}
	}
	if code, _ := probe(t, "http://"+address+"/readyz/controller-lacks-kind"); code != http.StatusInternalServerError {
		t.Errorf("the probe of one controller answers %d", code)
	}
	for _, kind := range []string{"Gadget", "Secret"} {
		c.Eventually("the metric names "+kind, func() error {
			if gauge(t, "opgen_awaited_kinds", kind) < 1 {
				return fmt.Errorf("it does not")
			}
			return nil
		})
	}

	crd := gadgetsOf(gadgets)
	c.installGadgets(crd)
	gadget.SetNamespace(c.Namespace)
	c.Eventually("the Gadget exists", func() error {
		return c.Client.Get(t.Context(), client.ObjectKeyFromObject(gadget), gadget.DeepCopy())
	})
	c.changeRights(func(rule *rbacv1.PolicyRule) {
		if slices.Contains(rule.Resources, "configmaps") {
			rule.Resources = append(rule.Resources, "secrets")
		}
	})
	c.Eventually("the Secret exists, too", func() error {
		if !c.Get(secret) {
			return fmt.Errorf("it does not")
		}
		return nil
	})
	c.Eventually("every controller works", func() error {
		if code, text := probe(t, "http://"+address+"/readyz?verbose"); code != http.StatusOK || strings.Contains(text, "[-]") {
			return fmt.Errorf("%d %s", code, text)
		}
		return nil
	})
	c.Delete(site)
	c.Gone(site)
}
