package operator_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/yaml"

	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

// The kinds of this test have a schema that accepts anything, and Go types that do not.
type (
	Rig struct {
		metav1.TypeMeta   `json:",inline"`
		metav1.ObjectMeta `json:"metadata,omitempty"`
		Spec              RigSpec   `json:"spec,omitempty"`
		Status            RigStatus `json:"status,omitempty"`
	}
	RigSpec struct {
		Port  int32         `json:"port,omitempty"`
		Ports []int32       `json:"ports,omitempty"`
		Since *metav1.Time  `json:"since,omitempty"`
		Names []metav1.Time `json:"names,omitempty"`
	}
	RigStatus struct {
		Conditions []metav1.Condition `json:"conditions,omitempty"`
	}
	RigList struct {
		metav1.TypeMeta `json:",inline"`
		metav1.ListMeta `json:"metadata,omitempty"`
		Items           []Rig `json:"items"`
	}
	// Bolt is a child of a Rig, and Nut a related object.
	Bolt     struct{ Rig }
	BoltList struct {
		metav1.TypeMeta `json:",inline"`
		metav1.ListMeta `json:"metadata,omitempty"`
		Items           []Bolt `json:"items"`
	}
	Nut     struct{ Rig }
	NutList struct {
		metav1.TypeMeta `json:",inline"`
		metav1.ListMeta `json:"metadata,omitempty"`
		Items           []Nut `json:"items"`
	}

	rigChildren struct {
		Bolts      operator.Snapshot[*Bolt]
		ConfigMaps operator.Snapshot[*corev1.ConfigMap]
	}
	rigDesired struct {
		Bolts      operator.DesiredSet[*Bolt]
		ConfigMaps operator.DesiredSet[*corev1.ConfigMap]
	}
	rigRelated struct{ Nuts operator.Snapshot[*Nut] }
	rigRequest = operator.Request[*Rig, rigChildren, rigRelated]
	rigAnswer  = operator.Response[rigDesired, RigStatus]
)

func (r *Rig) DeepCopyObject() runtime.Object {
	return &Rig{TypeMeta: r.TypeMeta, ObjectMeta: *r.ObjectMeta.DeepCopy(), Spec: r.Spec, Status: r.Status}
}

func (b *Bolt) DeepCopyObject() runtime.Object { return &Bolt{*b.Rig.DeepCopyObject().(*Rig)} }
func (n *Nut) DeepCopyObject() runtime.Object  { return &Nut{*n.Rig.DeepCopyObject().(*Rig)} }

func (l *RigList) DeepCopyObject() runtime.Object {
	return &RigList{TypeMeta: l.TypeMeta, ListMeta: *l.ListMeta.DeepCopy(), Items: append([]Rig(nil), l.Items...)}
}

func (l *BoltList) DeepCopyObject() runtime.Object {
	return &BoltList{TypeMeta: l.TypeMeta, ListMeta: *l.ListMeta.DeepCopy(), Items: append([]Bolt(nil), l.Items...)}
}

func (l *NutList) DeepCopyObject() runtime.Object {
	return &NutList{TypeMeta: l.TypeMeta, ListMeta: *l.ListMeta.DeepCopy(), Items: append([]Nut(nil), l.Items...)}
}

// rigs is an operator of Rigs, each of which has a Bolt and a ConfigMap, and reads the Nut of its name.
type rigs struct {
	*operatortest.Cluster
	t         *testing.T
	group     string
	finalizes bool
	ordered   bool // its children have no owner reference
	finalized atomic.Int32
	readAll   atomic.Bool // Sync lists all Rigs through the manager's client
}

// crdOf returns a CRD without any limit of what its objects have.
func crdOf(group, kind string) *unstructured.Unstructured {
	crd, plural := operator.Unstructured("apiextensions.k8s.io/v1", "CustomResourceDefinition"), strings.ToLower(kind)+"s"
	crd.SetName(plural + "." + group)
	crd.Object["spec"] = map[string]any{
		"group": group, "scope": "Namespaced", "names": map[string]any{"kind": kind, "listKind": kind + "List", "plural": plural, "singular": strings.ToLower(kind)},
		"versions": []any{map[string]any{"name": "v1", "served": true, "storage": true, "subresources": map[string]any{"status": map[string]any{}}, "schema": map[string]any{
			"openAPIV3Schema": map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true},
		}}},
	}
	return crd
}

// startRigs runs an operator of Rigs.
func startRigs(t *testing.T, change func(*rigs, *operatortest.Config)) *rigs {
	t.Helper()
	t.Parallel()
	r := &rigs{t: t, group: strings.ToLower(rand.Text()[:10]) + ".test.opgen.dev"}
	version := schema.GroupVersion{Group: r.group, Version: "v1"}
	schemes := runtime.SchemeBuilder{func(scheme *runtime.Scheme) error {
		scheme.AddKnownTypes(version, new(Rig), new(RigList), new(Bolt), new(BoltList), new(Nut), new(NutList))
		metav1.AddToGroupVersion(scheme, version)
		return nil
	}}
	var reader client.Client
	config := operatortest.Config{
		Controllers: func(mgr operator.Manager) ([]operator.Controller, error) {
			reader = mgr.GetClient()
			d := operator.Definition[*Rig, RigStatus, rigChildren, rigDesired, rigRelated]{
				Name: "rig", Group: r.group, Schemes: schemes,
				Parents:    []operator.ParentKind{{Object: &Rig{}}},
				Status:     func(r *Rig) *RigStatus { return &r.Status },
				Conditions: func(s *RigStatus) *[]metav1.Condition { return &s.Conditions },
				Kinds: func(observed *rigChildren, desired *rigDesired) []operator.ChildKind {
					return []operator.ChildKind{
						{Object: &Bolt{}, Fields: operator.Bind(&observed.Bolts, &desired.Bolts)},
						{Object: &corev1.ConfigMap{}, Fields: operator.Bind(&observed.ConfigMaps, &desired.ConfigMaps)},
					}
				},
				Related: func(related *rigRelated) []operator.RelatedKind {
					return []operator.RelatedKind{{Object: &Nut{}, Fields: operator.BindRelated(&related.Nuts), NameFrom: ".metadata.name"}}
				},
				Sync: func(ctx context.Context, req *rigRequest) (*rigAnswer, error) {
					if r.readAll.Load() {
						if err := reader.List(ctx, new(RigList), client.InNamespace(req.Parent.Namespace)); err != nil {
							return nil, err
						}
					}
					want := new(rigDesired)
					want.Bolts.Add(&Bolt{Rig{ObjectMeta: metav1.ObjectMeta{Name: req.Parent.Name}, Spec: RigSpec{Port: req.Parent.Spec.Port}}})
					want.ConfigMaps.Add(configMap(req.Parent.Name, fmt.Sprint(req.Parent.Spec.Port)))
					return &rigAnswer{Children: want, Status: &req.Parent.Status}, nil
				},
			}
			if r.ordered {
				d.Teardown = operator.TeardownOrdered
			}
			if r.finalizes {
				d.Finalize = func(context.Context, *rigRequest) (*rigAnswer, error) {
					r.finalized.Add(1)
					return &rigAnswer{Finalized: true}, nil
				}
			}
			return []operator.Controller{operator.NewController(d)}, nil
		},
		Schemes: schemes,
	}
	if change != nil {
		change(r, &config)
	}
	for _, kind := range []string{"Rig", "Bolt", "Nut"} {
		path, crd := filepath.Join(t.TempDir(), kind+".yaml"), crdOf(r.group, kind)
		text, err := yaml.Marshal(crd.Object)
		if err == nil {
			err = os.WriteFile(path, text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		config.CRDs = append(config.CRDs, path)
		t.Cleanup(func() { _ = r.Client.Delete(context.Background(), crd) })
	}
	r.Cluster = operatortest.Start(t, config)
	return r
}

// object returns an object that says what its Go type cannot hold.
func (r *rigs) object(kind, name string, spec map[string]any) *unstructured.Unstructured {
	object := operator.Unstructured(r.group+"/v1", kind)
	object.SetName(name)
	object.SetNamespace(r.Namespace)
	object.Object["spec"] = spec
	return object
}

// put creates an object, or changes its spec.
func (r *rigs) put(kind, name string, spec map[string]any) {
	r.t.Helper()
	object := r.object(kind, name, spec)
	_, err := controllerutil.CreateOrPatch(r.t.Context(), r.Client, object, func() error { object.Object["spec"] = spec; return nil })
	if err != nil {
		r.t.Fatal(err)
	}
}

// has waits until the children of a Rig have a port.
func (r *rigs) has(name string, port int32) {
	r.t.Helper()
	r.Eventually(fmt.Sprintf("the children of %s have port %d", name, port), func() error {
		made, bolt := configMap(name, ""), r.object("Bolt", name, nil)
		made.Namespace = r.Namespace
		if err := r.Client.Get(r.t.Context(), client.ObjectKeyFromObject(made), made); err != nil {
			return err
		}
		if err := r.Client.Get(r.t.Context(), client.ObjectKeyFromObject(bolt), bolt); err != nil {
			return err
		}
		if made.Data["key"] != fmt.Sprint(port) {
			return fmt.Errorf("%s has %v", name, made.Data)
		}
		return nil
	})
}

// tells waits for an Event about a Rig with these texts.
func (r *rigs) tells(name string, texts ...string) {
	r.t.Helper()
	r.Eventually("an Event tells of "+name, func() error {
		list := new(corev1.EventList)
		if err := r.Client.List(r.t.Context(), list, client.InNamespace(r.Namespace)); err != nil {
			return err
		}
		var seen []string
		for _, event := range list.Items {
			if event.InvolvedObject.Kind != "Rig" || event.InvolvedObject.Name != name {
				continue
			}
			seen = append(seen, event.Reason+": "+event.Message)
			if hasAll(event.Reason+": "+event.Message, texts) {
				return nil
			}
		}
		return fmt.Errorf("none with %q: %q", texts, seen)
	})
}

func hasAll(text string, parts []string) bool {
	for _, part := range parts {
		if !strings.Contains(text, part) {
			return false
		}
	}
	return true
}

// counts waits until the metric counts unreadable objects of a kind.
func (r *rigs) counts(kind string, n float64) {
	r.t.Helper()
	r.Eventually(fmt.Sprintf("%v unreadable objects of kind %s are counted", n, kind), func() error {
		if counted := gauge(r.t, "opgen_unreadable_objects", kind); counted != n {
			return fmt.Errorf("it counts %v", counted)
		}
		return nil
	})
}

// One Rig that does not decode is set aside, in a running operator and after a restart.
func TestUnreadableParentIsSetAside(t *testing.T) {
	r := startRigs(t, nil)
	r.put("Rig", "good", map[string]any{"port": int64(1)})
	r.put("Rig", "turns", map[string]any{"port": int64(1)})
	r.has("good", 1)
	r.has("turns", 1)
	r.put("Rig", "turns", map[string]any{"port": "eighty"})
	r.put("Rig", "born", map[string]any{"since": "yesterday"})
	r.tells("turns", "Unreadable", ".spec.port", "string", "int32")
	r.tells("born", "Unreadable", ".spec.since")
	others := func(port int32, name string) {
		r.put("Rig", "good", map[string]any{"port": int64(port)})
		r.has("good", port)
		r.put("Rig", name, map[string]any{"port": int64(port)})
		r.has(name, port)
		if err := r.Client.Delete(t.Context(), r.object("Rig", name, nil)); err != nil {
			t.Fatal(err)
		}
		r.Eventually(name+" is gone with its children", func() error {
			for _, kind := range []string{"Rig", "Bolt"} {
				object := r.object(kind, name, nil)
				if err := r.Client.Get(t.Context(), client.ObjectKeyFromObject(object), object); err == nil {
					return errors.New(kind + " is there")
				}
			}
			return nil
		})
		r.has("turns", 1) // is not pruned
	}
	others(2, "later")
	r.Restart()
	r.counts("Rig", 2)
	others(3, "after-restart")
	r.put("Rig", "turns", map[string]any{"port": int64(4)})
	r.has("turns", 4)
	r.counts("Rig", 1)
	if err := r.Client.Delete(t.Context(), r.object("Rig", "born", nil)); err != nil {
		t.Fatal(err)
	}
	r.counts("Rig", 0)
	r.put("Rig", "born", map[string]any{"port": int64(5)})
	r.has("born", 5)
}
