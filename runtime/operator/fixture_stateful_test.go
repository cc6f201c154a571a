package operator_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

type (
	statefulChildren struct {
		StatefulSets operator.Snapshot[*appsv1.StatefulSet]
	}
	statefulDesired struct {
		StatefulSets operator.DesiredSet[*appsv1.StatefulSet]
	}
	statefulRequest  = operator.Request[*testapi.Site, statefulChildren, struct{}]
	statefulResponse = operator.Response[statefulDesired, testapi.Status]
)

// stateful is an operator whose Site has a StatefulSet of two Pods with a claim each, of the size that
// the Site's text names. The StatefulSet controller of the cluster makes the Pods, and no kubelet runs
// them.
type stateful struct {
	*operatortest.Cluster
	t       *testing.T
	site    *testapi.Site
	set     *appsv1.StatefulSet // as it was read last
	isEmpty atomic.Bool         // Sync desires no StatefulSet
	options []operator.ChildOption
	seen    atomic.Bool // Sync has seen the parent as one that is being deleted
}

// startStateful runs the operator for a Site whose StatefulSet has made its Pods.
func startStateful(t *testing.T, options ...operator.ChildOption) *stateful {
	t.Helper()
	t.Parallel()
	s := &stateful{t: t, site: site("web"), set: named(&appsv1.StatefulSet{}, "db"), options: options}
	s.site.Spec.Text = "1Gi"
	s.Cluster = operatortest.Start(t, operatortest.Config{
		Controllers: func(operator.Manager) ([]operator.Controller, error) {
			return []operator.Controller{operator.NewController(operator.Definition[*testapi.Site, testapi.Status, statefulChildren, statefulDesired, struct{}]{
				Name:    "site",
				Group:   testapi.Version.Group,
				Parents: []operator.ParentKind{{Object: &testapi.Site{}}},
				Schemes: runtime.SchemeBuilder{testapi.AddToScheme},
				Kinds: func(observed *statefulChildren, desired *statefulDesired) []operator.ChildKind {
					return []operator.ChildKind{{
						Object:   &appsv1.StatefulSet{},
						Policies: operator.Policies{WhenImmutable: operator.RecreateIfImmutable, WhenRecreated: operator.OrphanDependents},
						Fields:   operator.Bind(&observed.StatefulSets, &desired.StatefulSets),
					}}
				},
				Status:             func(s *testapi.Site) *testapi.Status { return &s.Status },
				Conditions:         func(s *testapi.Status) *[]metav1.Condition { return &s.Conditions },
				ObservedGeneration: func(s *testapi.Status) *int64 { return &s.ObservedGeneration },
				Sync:               s.sync,
			})}, nil
		},
		CRDs:    []string{"../internal/testapi/crds.yaml"},
		Schemes: runtime.SchemeBuilder{testapi.AddToScheme},
	})
	s.Create(s.site)
	s.run()
	return s
}

func (s *stateful) sync(_ context.Context, req *statefulRequest) (*statefulResponse, error) {
	if req.Parent.DeletionTimestamp != nil {
		s.seen.Store(true)
	}
	want := new(statefulDesired)
	if !s.isEmpty.Load() {
		want.StatefulSets.Add(claimingSet("db", req.Parent.Spec.Text), s.options...)
	}
	return &statefulResponse{Children: want, Status: &testapi.Status{Phase: req.Parent.Spec.Text}}, nil
}

// claimingSet returns a StatefulSet of two Pods that are made at once, with a claim of a size each.
func claimingSet(name, size string) *appsv1.StatefulSet {
	labels := map[string]string{"app": name}
	set := named(&appsv1.StatefulSet{}, name)
	set.Spec = appsv1.StatefulSetSpec{
		Replicas: new(int32(2)), ServiceName: name, PodManagementPolicy: appsv1.ParallelPodManagement,
		Selector: &metav1.LabelSelector{MatchLabels: labels},
		Template: corev1.PodTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Labels: labels},
			Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "db:1"}}},
		},
		VolumeClaimTemplates: []corev1.PersistentVolumeClaim{{
			ObjectMeta: metav1.ObjectMeta{Name: "data"},
			Spec: corev1.PersistentVolumeClaimSpec{
				AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
				Resources:   corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse(size)}},
			},
		}},
	}
	return set
}

// run plays the kubelet, until the Site is ready as it is.
func (s *stateful) run() {
	s.t.Helper()
	s.Eventually("two Pods exist", func() error {
		if pods := s.pods(); len(pods) != 2 {
			return fmt.Errorf("they are %v", pods)
		}
		return nil
	})
	s.MakeReady(s.set)
	s.Eventually("the Site is ready", func() error {
		s.Get(s.site)
		ready := meta.FindStatusCondition(s.site.Status.Conditions, "Ready")
		if ready == nil || ready.Status != metav1.ConditionTrue || ready.ObservedGeneration != s.site.Generation {
			return fmt.Errorf("its conditions are %+v", s.site.Status.Conditions)
		}
		return nil
	})
	s.Get(s.set)
}

// pods returns the UIDs of the Pods that are not being deleted, by their names.
func (s *stateful) pods() map[string]types.UID {
	s.t.Helper()
	var pods corev1.PodList
	if err := s.Client.List(s.t.Context(), &pods, client.InNamespace(s.Namespace), client.MatchingLabels{"app": "db"}); err != nil {
		s.t.Fatal(err)
	}
	uids := map[string]types.UID{}
	for _, pod := range pods.Items {
		if pod.DeletionTimestamp == nil {
			uids[pod.Name] = pod.UID
		}
	}
	return uids
}

// grow has the Site desire larger claims.
func (s *stateful) grow() {
	s.t.Helper()
	s.Update(s.site, func() { s.site.Spec.Text = "2Gi" })
}

// holdDeletion gives the StatefulSet a finalizer of somebody else's, so that it stays while it is being
// deleted, as it does while the garbage collector has yet to orphan its Pods.
func (s *stateful) holdDeletion() {
	s.t.Helper()
	s.Update(s.set, func() { s.set.Finalizers = append(s.set.Finalizers, "test.opgen.dev/hold") })
}

// endHold takes the finalizer off.
func (s *stateful) endHold() {
	s.t.Helper()
	s.Update(s.set, func() {
		s.set.Finalizers = slices.DeleteFunc(s.set.Finalizers, func(name string) bool { return name == "test.opgen.dev/hold" })
	})
}

// orphaned waits until the StatefulSet is being deleted and its Pods have no owner.
func (s *stateful) orphaned() {
	s.t.Helper()
	s.Eventually("the Pods are orphaned", func() error {
		s.Get(s.set)
		if s.set.DeletionTimestamp == nil || slices.Contains(s.set.Finalizers, metav1.FinalizerOrphanDependents) {
			return fmt.Errorf("the StatefulSet is deleted at %v, with %v", s.set.DeletionTimestamp, s.set.Finalizers)
		}
		return nil
	})
}

// adopted waits until another StatefulSet than the last one has claims of a size, and owns the Pods.
func (s *stateful) adopted(size string) {
	s.t.Helper()
	last := s.set.UID
	s.Eventually("another StatefulSet owns the Pods", func() error {
		if !s.Get(s.set) || s.set.UID == last || s.set.DeletionTimestamp != nil {
			return fmt.Errorf("it is %s, deleted at %v", s.set.UID, s.set.DeletionTimestamp)
		}
		if got := s.set.Spec.VolumeClaimTemplates[0].Spec.Resources.Requests.Storage().String(); got != size {
			return fmt.Errorf("its claims have %s", got)
		}
		for name := range s.pods() {
			pod := named(&corev1.Pod{}, name)
			if s.Get(pod); metav1.GetControllerOf(pod) == nil || metav1.GetControllerOf(pod).UID != s.set.UID {
				return fmt.Errorf("the owners of %s are %v", name, pod.OwnerReferences)
			}
		}
		return nil
	})
}

// expectPods fails the test if the Pods are not those that they were.
func (s *stateful) expectPods(before map[string]types.UID) {
	s.t.Helper()
	if now := s.pods(); !maps.Equal(now, before) {
		s.t.Errorf("the Pods are %v, before %v", now, before)
	}
}

// clean waits until the Site has neither the record of a recreation nor a finalizer, and the StatefulSet
// has its owner.
func (s *stateful) clean() {
	s.t.Helper()
	s.Eventually("the recreation has ended", func() error {
		s.Get(s.site)
		s.Get(s.set)
		if len(s.site.Finalizers) > 0 || s.site.Annotations[recreatingKey] != "" || !metav1.IsControlledBy(s.set, s.site) {
			return fmt.Errorf("finalizers %v, annotations %v, owners %v", s.site.Finalizers, s.site.Annotations, s.set.OwnerReferences)
		}
		return nil
	})
}

// collected waits until no Pod is left.
func (s *stateful) collected() {
	s.t.Helper()
	s.Eventually("the Pods go", func() error {
		if pods := s.pods(); len(pods) > 0 {
			return fmt.Errorf("they are %v", pods)
		}
		return nil
	})
}

const recreatingKey = "test.opgen.dev/recreating"

// expectReason returns an error if the Ready condition of the Site has another reason.
func (s *stateful) expectReason(reason string) error {
	s.Get(s.site)
	if ready := meta.FindStatusCondition(s.site.Status.Conditions, "Ready"); ready == nil || ready.Reason != reason {
		return fmt.Errorf("it is %+v", ready)
	}
	return nil
}

// creates returns how often the operator has created the StatefulSet.
func (s *stateful) creates() (n int) {
	for _, request := range s.Writes() {
		if request.Verb == "create" && request.Name == s.set.Name {
			n++
		}
	}
	return n
}

// unready plays the kubelet: the Pod is not ready any more.
func (s *stateful) unready(name string) {
	s.t.Helper()
	pod := named(&corev1.Pod{}, name)
	s.UpdateStatus(pod, func() {
		for i := range pod.Status.Conditions {
			if pod.Status.Conditions[i].Type == corev1.PodReady {
				pod.Status.Conditions[i].Status = corev1.ConditionFalse
			}
		}
	})
}
