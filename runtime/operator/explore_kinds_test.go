package operator_test

import (
	"context"
	"strconv"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/internal/longtest"
	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

// Whoever changes what of a child, and whatever the author changes of what is desired:
// each child is as desired again, and nothing else of it is touched.
func TestExploreKinds(t *testing.T) {
	longtest.Skip(t, "it explores children of every kind")
	explored(t, exploredKinds(), []func(string) client.Object{finalizingSite}, func(i int, object client.Object) operator.ChildKind {
		return operator.ChildKind{Object: emptied(object)}
	})
}

// The same holds of a kind of which only the metadata is cached.
func TestExploreMetadata(t *testing.T) {
	longtest.Skip(t, "it explores a kind of which only metadata is cached")
	secret := &corev1.Secret{Data: map[string][]byte{"a": []byte("b"), "c": []byte("d")}}
	explored(t, []client.Object{secret}, nil, func(_ int, object client.Object) operator.ChildKind {
		return operator.ChildKind{Object: emptied(object), Metadata: true}
	})
}

// The same holds where a kind is listed twice, whatever happens to the marks that tell the entries apart.
func TestExploreEntries(t *testing.T) {
	object := &corev1.ConfigMap{Data: map[string]string{"a": "b"}}
	explored(t, []client.Object{object, object}, nil, func(i int, object client.Object) operator.ChildKind {
		return operator.ChildKind{Object: emptied(object), As: []string{"Firsts", "Seconds"}[i]}
	})
}

// What the author hands over stays as others set it, and as the author had set it last.
func TestExploreHandOver(t *testing.T) {
	longtest.Skip(t, "it explores fields that are handed over")
	over := map[int][]string{0: {".data.text", `.metadata.annotations.example\.com/note`}, 1: {".spec.replicas", ".spec.strategy", ".spec.template.metadata"}}
	config := &corev1.ConfigMap{Data: map[string]string{"empty": "", "text": "a"}}
	deployment := &appsv1.Deployment{Spec: appsv1.DeploymentSpec{
		Replicas: ptr.To[int32](0), Selector: &selector, Template: exploredTemplate(""), Strategy: appsv1.DeploymentStrategy{Type: appsv1.RecreateDeploymentStrategyType},
	}}
	explored(t, []client.Object{config, deployment}, nil, func(i int, object client.Object) operator.ChildKind {
		return operator.ChildKind{Object: emptied(object), HandOver: over[i]}
	})
}

// explored explores an operator whose parents each have a child of one of some kinds, and more
// parents.
func explored(t *testing.T, objects []client.Object, more []func(string) client.Object, kindOf func(int, client.Object) operator.ChildKind) {
	t.Helper()
	t.Parallel()
	life := operatortest.Life{Parents: more}
	for i := range objects {
		life.Parents = append(life.Parents, func(name string) client.Object {
			parent := site(name)
			parent.Spec.Text = strconv.Itoa(i)
			return parent
		})
	}
	operatortest.Explore(t, operatortest.Config{
		Controllers: func(operator.Manager) ([]operator.Controller, error) {
			return []operator.Controller{exploredController(objects, kindOf), finalizingController()}, nil
		},
		CRDs:    []string{"../internal/testapi/crds.yaml", "../internal/testapi/lists.yaml"},
		Schemes: runtime.SchemeBuilder{testapi.AddToScheme},
	}, life)
}

type (
	exploredChildren struct {
		whole    kindChildren
		metadata []operator.Snapshot[*metav1.PartialObjectMetadata]
	}
	exploredDefinition = operator.Definition[*testapi.Site, testapi.Status, exploredChildren, kindDesired, struct{}]
)

// exploredController makes a controller whose parents say which of the objects they
// want, named after them.
func exploredController(objects []client.Object, kindOf func(int, client.Object) operator.ChildKind) operator.Controller {
	return operator.NewController(exploredDefinition{
		Name:    "explored",
		Group:   testapi.Version.Group,
		Parents: []operator.ParentKind{{Object: &testapi.Site{}, Labels: "!" + finalizedLabel}},
		Schemes: runtime.SchemeBuilder{testapi.AddToScheme},
		Kinds: func(observed *exploredChildren, desired *kindDesired) (kinds []operator.ChildKind) {
			observed.whole = make(kindChildren, len(objects))
			observed.metadata = make([]operator.Snapshot[*metav1.PartialObjectMetadata], len(objects))
			if *desired == nil {
				*desired = make(kindDesired, len(objects))
			}
			for i, object := range objects {
				kind := kindOf(i, object)
				kind.Fields = operator.Bind(&observed.whole[i], &(*desired)[i])
				if kind.Metadata {
					kind.Fields = operator.BindMetadata(&observed.metadata[i], &(*desired)[i])
				}
				kinds = append(kinds, kind)
			}
			return kinds
		},
		Status:             func(s *testapi.Site) *testapi.Status { return &s.Status },
		Conditions:         func(s *testapi.Status) *[]metav1.Condition { return &s.Conditions },
		ObservedGeneration: func(s *testapi.Status) *int64 { return &s.ObservedGeneration },
		Sync: func(_ context.Context, req *operator.Request[*testapi.Site, exploredChildren, struct{}]) (*operator.Response[kindDesired, testapi.Status], error) {
			i, err := strconv.Atoi(req.Parent.Spec.Text)
			if err != nil {
				return nil, err
			}
			if i%2 == 0 { // the others do not look at what is there
				req.Children.whole[i].Len()
			}
			want := make(kindDesired, len(objects))
			child := objects[i].DeepCopyObject().(client.Object)
			child.SetName(req.Parent.Name)
			child.SetLabels(map[string]string{"app": "web", "app.kubernetes.io/part-of": "shop"})
			child.SetAnnotations(map[string]string{"example.com/note": "text"})
			want[i].Add(child, operator.WhenApplied(func(response *operator.Response[kindDesired, testapi.Status]) { response.Status.Phase = "applied" }))
			return &operator.Response[kindDesired, testapi.Status]{Children: &want, Status: new(testapi.Status)}, nil
		},
	})
}
