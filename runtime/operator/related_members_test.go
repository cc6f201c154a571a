package operator_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

type (
	crew struct {
		Pods operator.Snapshot[*corev1.Pod]
	}
	crewRequest = operator.Request[*testapi.Site, workloadChildren, crew]
	// members is an operator whose Sites have a Deployment each, and read its Pods.
	members struct {
		*operatortest.Cluster
		*readers
		t *testing.T
	}
)

// memberLabels are those by which the entry limits its watch.
var memberLabels = map[string]string{"app": "of-a-workload"}

func startMembers(t *testing.T, through client.Object) *members {
	t.Parallel()
	m := &members{t: t, readers: &readers{reconciles: map[string]int{}}}
	m.Cluster = operatortest.Start(t, operatortest.Config{
		Controllers: func(operator.Manager) ([]operator.Controller, error) {
			return []operator.Controller{operator.NewController(operator.Definition[*testapi.Site, testapi.Status, workloadChildren, workloadDesired, crew]{
				Name: "site", Group: testapi.Version.Group,
				Parents: []operator.ParentKind{{Object: &testapi.Site{}}},
				Schemes: runtime.SchemeBuilder{testapi.AddToScheme},
				Kinds: func(observed *workloadChildren, desired *workloadDesired) []operator.ChildKind {
					return []operator.ChildKind{{Object: &appsv1.Deployment{}, Fields: operator.Bind(&observed.Deployments, &desired.Deployments)}}
				},
				Related: func(related *crew) []operator.RelatedKind {
					return []operator.RelatedKind{{
						Object: &corev1.Pod{}, Selector: "app=" + memberLabels["app"], Fields: operator.BindRelated(&related.Pods),
						OfChild: &operator.OfChild{Object: &appsv1.Deployment{}, Through: through},
					}}
				},
				Status:             func(s *testapi.Site) *testapi.Status { return &s.Status },
				Conditions:         func(s *testapi.Status) *[]metav1.Condition { return &s.Conditions },
				ObservedGeneration: func(s *testapi.Status) *int64 { return &s.ObservedGeneration },
				Sync:               m.desire,
			})}, nil
		},
		CRDs:    []string{"../internal/testapi/crds.yaml"},
		Schemes: runtime.SchemeBuilder{testapi.AddToScheme},
	})
	return m
}

// desire is a Sync that desires a Deployment, and tells in the phase which Pods it has.
func (m *members) desire(_ context.Context, req *crewRequest) (*operator.Response[workloadDesired, testapi.Status], error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.reconciles[req.Parent.Name]++
	want := new(workloadDesired)
	deployment := named(deploymentWith(req.Parent.Spec.Text, 1), req.Parent.Name)
	deployment.Spec.Template.Labels = map[string]string{"app": memberLabels["app"], "site": req.Parent.Name}
	deployment.Spec.Selector.MatchLabels = map[string]string{"site": req.Parent.Name}
	want.Deployments.Add(deployment)
	var pods []string
	for pod := range req.Related.Pods.All() {
		pods = append(pods, pod.Name)
	}
	slices.Sort(pods)
	return &operator.Response[workloadDesired, testapi.Status]{Children: want, Status: &testapi.Status{Phase: strings.Join(pods, " ")}}, nil
}

// has waits until a Site has read these Pods, and no others.
func (m *members) has(site *testapi.Site, pods string) {
	m.t.Helper()
	m.Eventually(site.Name+" has the Pods "+pods, func() error {
		if m.Get(site); site.Status.Phase != pods {
			return errors.New("it has " + site.Status.Phase)
		}
		return nil
	})
}

// siteWithDeployment creates a Site, and returns it with its Deployment.
func (m *members) siteWithDeployment(name string) (*testapi.Site, *appsv1.Deployment) {
	m.t.Helper()
	created, deployment := site(name), named(&appsv1.Deployment{}, name)
	created.Spec.Text = "web:1"
	m.Create(created)
	m.Exists(deployment)
	return created, deployment
}

// freeReplicaSet creates a ReplicaSet without an owner, whose Pods have the labels of the entry.
func (m *members) freeReplicaSet(name string) {
	m.t.Helper()
	template := deploymentWith("web:1", 0).Spec.Template
	template.Labels = map[string]string{"app": memberLabels["app"], "free": "yes"}
	m.Create(&appsv1.ReplicaSet{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: template.Labels},
		Spec:       appsv1.ReplicaSetSpec{Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"free": "yes"}}, Template: template},
	})
}

func (m *members) list(into client.ObjectList) {
	m.t.Helper()
	if err := m.Client.List(m.t.Context(), into, client.InNamespace(m.Namespace)); err != nil {
		m.t.Fatal(err)
	}
}

// setsOf returns the ReplicaSets of a Deployment.
func (m *members) setsOf(deployment *appsv1.Deployment) map[types.UID]*appsv1.ReplicaSet {
	m.t.Helper()
	list, found := new(appsv1.ReplicaSetList), map[types.UID]*appsv1.ReplicaSet{}
	m.list(list)
	for i := range list.Items {
		if metav1.IsControlledBy(&list.Items[i], deployment) {
			found[list.Items[i].UID] = &list.Items[i]
		}
	}
	return found
}

// podsOf returns the Pods that the ReplicaSets of a Deployment control, in the order of their names.
func (m *members) podsOf(deployment *appsv1.Deployment) (pods []*corev1.Pod) {
	m.t.Helper()
	sets, list := m.setsOf(deployment), new(corev1.PodList)
	m.list(list)
	for i := range list.Items {
		controller := metav1.GetControllerOf(&list.Items[i])
		if controller != nil && sets[controller.UID] != nil && list.Items[i].Labels["app"] == memberLabels["app"] {
			pods = append(pods, &list.Items[i])
		}
	}
	return pods
}

// hasItsPods waits until a Site has read the Pods of its Deployment, which are of this many ReplicaSets.
func (m *members) hasItsPods(site *testapi.Site, deployment *appsv1.Deployment, ofSets int) {
	m.t.Helper()
	m.Eventually(site.Name+" has the Pods of its Deployment", func() error {
		var names []string
		sets := map[types.UID]bool{}
		for _, pod := range m.podsOf(deployment) {
			names = append(names, pod.Name)
			sets[metav1.GetControllerOf(pod).UID] = true
		}
		slices.Sort(names)
		if m.Get(site); len(sets) != ofSets || site.Status.Phase != strings.Join(names, " ") {
			return fmt.Errorf("it has %q, and there are %q of %d ReplicaSets", site.Status.Phase, names, len(sets))
		}
		return nil
	})
}

// addPod creates a Pod as the controller of ReplicaSets does.
func (m *members) addPod(name string, owners []metav1.OwnerReference) {
	m.t.Helper()
	created := pod(name, "web:1")
	created.Labels, created.OwnerReferences = map[string]string{"app": memberLabels["app"]}, owners
	m.Create(created)
}

func controlledBy(owner client.Object, kind string) []metav1.OwnerReference {
	return []metav1.OwnerReference{*metav1.NewControllerRef(owner, appsv1.SchemeGroupVersion.WithKind(kind))}
}

// The ReplicaSets and Pods here are those that the controllers of Kubernetes make.
func TestPodsOfADeploymentAreFoundByTheirOwners(t *testing.T) {
	m := startMembers(t, operator.Unstructured("apps/v1", "ReplicaSet"))
	web, deployment := m.siteWithDeployment("web")
	other, otherDeployment := m.siteWithDeployment("other")
	m.hasItsPods(web, deployment, 1)
	m.hasItsPods(other, otherDeployment, 1)
	m.Settled()
	before := m.of("other")

	// Strangers with the labels of the entry are no members.
	m.addPod("free", nil)
	m.freeReplicaSet("free")
	plain := slices.Clone(m.podsOf(deployment)[0].OwnerReferences)
	plain[0].Controller = nil // an owner that does not control it
	m.addPod("owned", plain)
	m.Settled()
	m.hasItsPods(web, deployment, 1)

	// A Pod counts while it has the label and the owner. The controllers make another one here.
	pod := m.podsOf(deployment)[0]
	m.Update(pod, func() { delete(pod.Labels, "app") })
	m.has(web, "")
	m.Update(pod, func() { pod.Labels["app"] = memberLabels["app"] })
	m.hasItsPods(web, deployment, 1)
	m.Update(pod, func() { pod.Labels["site"] = "none" }) // its ReplicaSet releases it
	m.Eventually("another Pod takes its place", func() error {
		if pods := m.podsOf(deployment); len(pods) != 1 || pods[0].Name == pod.Name {
			return errors.New("it has not")
		}
		return nil
	})
	m.hasItsPods(web, deployment, 1)

	// A rolling update, in which no new Pod gets ready, has two ReplicaSets.
	m.Update(web, func() { web.Spec.Text = "web:2" })
	m.hasItsPods(web, deployment, 2)
	m.Settled()
	if after := m.of("other"); after != before {
		t.Errorf("%d reconciles of a parent to which none of this belongs", after-before)
	}

	m.Stop()
	m.Delete(m.podsOf(deployment)[0])
	m.Restart()
	m.hasItsPods(web, deployment, 2)
	m.hasItsPods(other, otherDeployment, 1)
	m.Settled()
	for _, request := range m.Requests() {
		if request.Verb == "get" && (request.Resource == "pods" || request.Resource == "replicasets") {
			t.Errorf("the operator reads %s live", request.Resource)
		}
	}
}

func TestWhatAChildControlsItself(t *testing.T) {
	m := startMembers(t, nil)
	web, deployment := m.siteWithDeployment("web")
	m.addPod("a", controlledBy(deployment, "Deployment"))
	m.addPod("free", nil)
	m.has(web, "a")
	m.Settled()
	m.has(web, "a") // and not those of its ReplicaSets
}
