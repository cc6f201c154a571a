package operator_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

// versionedCRD is a CRD with the versions v1 and v1alpha1, or with v1 alone.
const versionedCRD = `---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: PLURAL.GROUP}
spec:
  group: GROUP
  scope: Namespaced
  names: {kind: KIND, plural: PLURAL}
  versions:
  - &version
    name: v1
    served: true
    storage: true
    subresources: {status: {}}
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
`

const secondVersion = `  - {<<: *version, name: v1alpha1, storage: false}
`

// versions is a project whose kinds have two versions until the older one is removed: Duo, the parent, Ticket, a child, and
// Gadget, a related object with a patch.
type versions struct {
	*custom
	kinds  map[string]string // their plurals
	shown  sync.Map          // the names of the children that a Sync saw
	noneOf map[string]bool   // the kinds that have lost the older version
}

// startVersions runs an operator of Duos.
func startVersions(t *testing.T, desire func(group string, req *customRequest, want *Desired), change func(*definition)) *versions {
	t.Helper()
	t.Parallel()
	v := &versions{
		custom: &custom{t: t, group: strings.ToLower(rand.Text()[:10]) + ".test.opgen.dev"},
		kinds:  map[string]string{"Duo": "duos", "Ticket": "tickets", "Gadget": "gadgets"}, noneOf: map[string]bool{},
	}
	v.setSync(customDesire(func(req *customRequest, want *Desired) {
		for object := range req.Children.ConfigMaps.All() {
			v.shown.Store(object.Name, true)
		}
		for object := range req.Children.Accounts.All() {
			v.shown.Store(object.GetName(), true)
		}
		desire(v.group, req, want)
	}))
	builder := runtime.SchemeBuilder{func(scheme *runtime.Scheme) error {
		version := schema.GroupVersion{Group: v.group, Version: "v1"}
		scheme.AddKnownTypeWithName(version.WithKind("Duo"), &testapi.Site{})
		scheme.AddKnownTypeWithName(version.WithKind("DuoList"), &testapi.SiteList{})
		metav1.AddToGroupVersion(scheme, version)
		return nil
	}}
	t.Cleanup(v.uninstall)
	v.Cluster = operatortest.Start(t, operatortest.Config{
		Schemes: builder,
		CRDs:    []string{v.crdsFile()},
		Controllers: func(operator.Manager) ([]operator.Controller, error) {
			d := definition{
				Name: "site", Group: v.group, Parents: []operator.ParentKind{{Object: &testapi.Site{}}}, Schemes: builder,
				Kinds: func(observed *Children, desired *Desired) []operator.ChildKind {
					return []operator.ChildKind{
						{Object: &corev1.ConfigMap{}, Fields: operator.Bind(&observed.ConfigMaps, &desired.ConfigMaps)},
						{Object: operator.Unstructured(v.group+"/v1", "Ticket"), Rules: operator.Rules{ReadyWhen: exists}, Fields: operator.Bind(&observed.Accounts, &desired.Accounts)},
					}
				},
				Related: func(related *Related) []operator.RelatedKind {
					return []operator.RelatedKind{{Object: operator.Unstructured(v.group+"/v1", "Gadget"), Selector: "shared=yes", Patch: true, Fields: operator.BindRelated(&related.Gadgets)}}
				},
				Patches: func(desired *Desired) []operator.Patches {
					return []operator.Patches{operator.BindPatches(&desired.Patches.Gadgets)}
				},
				Status:             func(s *testapi.Site) *testapi.Status { return &s.Status },
				Conditions:         func(s *testapi.Status) *[]metav1.Condition { return &s.Conditions },
				ObservedGeneration: func(s *testapi.Status) *int64 { return &s.ObservedGeneration },
				Sync: func(ctx context.Context, req *customRequest) (*Response, error) {
					return (*v.sync.Load())(ctx, req)
				},
			}
			if change != nil {
				change(&d)
			}
			return []operator.Controller{operator.NewController(d)}, nil
		},
	})
	return v
}

// crdsFile writes the CRDs into a file.
func (v *versions) crdsFile() string {
	v.t.Helper()
	var all []byte
	for kind := range v.kinds {
		all = append(all, v.crd(kind, true)...)
	}
	file := filepath.Join(v.t.TempDir(), "crds.yaml")
	if err := os.WriteFile(file, all, 0o600); err != nil {
		v.t.Fatal(err)
	}
	return file
}

func (v *versions) crd(kind string, hasBoth bool) []byte {
	text := versionedCRD
	if hasBoth {
		text += secondVersion
	}
	return []byte(strings.NewReplacer("GROUP", v.group, "PLURAL", v.kinds[kind], "KIND", kind).Replace(text))
}

// crdOf returns the CRD of a kind as an object without content.
func (v *versions) crdOf(kind string) *unstructured.Unstructured {
	crd := operator.Unstructured("apiextensions.k8s.io/v1", "CustomResourceDefinition")
	crd.SetName(v.kinds[kind] + "." + v.group)
	return crd
}

// uninstall deletes the CRDs once the cluster has cleaned up.
func (v *versions) uninstall() {
	if v.Cluster == nil {
		return // the test was skipped
	}
	for kind := range v.kinds {
		_ = v.Client.Delete(context.Background(), v.crdOf(kind))
	}
}

// applied applies an object in the older version, as kubectl apply --server-side does.
func (v *versions) applied(kind, name string, fields map[string]any) *unstructured.Unstructured {
	v.t.Helper()
	object := operator.Unstructured(v.group+"/v1alpha1", kind)
	object.Object["spec"] = fields
	object.SetName(name)
	object.SetNamespace(v.Namespace)
	if kind == "Gadget" {
		object.SetLabels(map[string]string{"shared": "yes"})
	}
	v.Eventually("the API server takes "+kind+" in the older version", func() error {
		return v.Client.Patch(v.t.Context(), object, client.Apply, client.FieldOwner("kubectl"), client.ForceOwnership) //nolint:staticcheck // an apply configuration has no managers
	})
	return object
}

// annotate annotates objects in a version of their kind.
func (v *versions) annotate(version, key string, objects ...*unstructured.Unstructured) {
	v.t.Helper()
	for _, object := range objects {
		written := operator.Unstructured(v.group+"/"+version, object.GetKind())
		written.SetName(object.GetName())
		written.SetNamespace(v.Namespace)
		patch := client.RawPatch(types.MergePatchType, fmt.Appendf(nil, `{"metadata":{"annotations":{%q:"yes"}}}`, key))
		if err := v.Client.Patch(v.t.Context(), written, patch, client.FieldOwner("kubectl-annotate")); err != nil {
			v.t.Fatal(err)
		}
		object.Object = written.Object
	}
}

// removeVersion removes the older version of a kind, as the documentation of Kubernetes says, and then writes to the objects.
// The API server has dropped all of their managedFields after that.
func (v *versions) removeVersion(kind string, objects ...*unstructured.Unstructured) {
	v.t.Helper()
	crd := v.crdOf(kind)
	patch := client.RawPatch(types.JSONPatchType, []byte(`[{"op":"test","path":"/spec/versions/1/name","value":"v1alpha1"},{"op":"remove","path":"/spec/versions/1"}]`))
	if err := v.Client.Patch(v.t.Context(), crd, patch); err != nil {
		v.t.Fatal(err)
	}
	for _, object := range objects {
		v.Eventually(object.GetName()+" has no managedFields any more", func() error {
			v.annotate("v1", "migrated-"+strings.ToLower(rand.Text()[:5]), object)
			if n := len(object.GetManagedFields()); n > 0 {
				return fmt.Errorf("it has %d", n)
			}
			return nil
		})
	}
}

// duo returns the parent.
func (v *versions) duo(name string) *testapi.Site {
	v.t.Helper()
	made := &testapi.Site{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: v.Namespace}}
	v.Exists(made)
	return made
}

func (v *versions) ticket(name string) *unstructured.Unstructured {
	object := operator.Unstructured(v.group+"/v1", "Ticket")
	object.SetName(name)
	return object
}

// copyOfTicket creates a copy of a Ticket as kubectl create does.
func (v *versions) copyOfTicket(of *unstructured.Unstructured, name string) *unstructured.Unstructured {
	v.t.Helper()
	copied := of.DeepCopy()
	for _, field := range []string{"uid", "resourceVersion", "managedFields", "creationTimestamp", "generation"} {
		unstructured.RemoveNestedField(copied.Object, "metadata", field)
	}
	copied.SetName(name)
	v.makeAs("kubectl-create", copied)
	return copied
}

// expectUnseen fails the test if a Sync saw one of these.
func (v *versions) expectUnseen(names ...string) {
	v.t.Helper()
	for _, name := range names {
		if _, isShown := v.shown.Load(name); isShown {
			v.t.Errorf("Sync saw %s", name)
		}
	}
}

func ticketWith(object *unstructured.Unstructured, text string) *unstructured.Unstructured {
	object.Object["spec"] = map[string]any{"text": text}
	return object
}
