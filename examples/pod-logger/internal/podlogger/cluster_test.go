package podlogger

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

// work is what the operator of a test does with each object.
type work = func(context.Context, client.Object) error

func controllers(work work) func(operator.Manager) ([]operator.Controller, error) {
	return func(operator.Manager) ([]operator.Controller, error) {
		return []operator.Controller{Controller(&Reconciler{work: work})}, nil
	}
}

// start runs the operator against a real API server; without one the test skips. See make test-e2e.
func start(t *testing.T, work work, option operator.Option) *operatortest.Cluster {
	t.Parallel()
	return operatortest.Start(t, operatortest.Config{
		Controllers: controllers(work),
		Roles:       "../../deploy/zz_generated.rbac.yaml",
		Options:     option,
	})
}

// newPod returns a Pod that is logged.
func newPod(name string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"logged": "yes"}},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: "web"}}},
	}
}

// newDeployment and newSet return workloads that are logged. Their Pods are not.
func newDeployment(name string) *appsv1.Deployment {
	pod, selector, replicas := newPod(name), selectorFor(name), int32(1)
	return &appsv1.Deployment{
		ObjectMeta: pod.ObjectMeta,
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas, Selector: selector, Template: templateFor(pod, selector),
		},
	}
}

func newSet(name string) *appsv1.StatefulSet {
	pod, selector, replicas := newPod(name), selectorFor(name), int32(1)
	return &appsv1.StatefulSet{
		ObjectMeta: pod.ObjectMeta,
		Spec: appsv1.StatefulSetSpec{
			Replicas: &replicas, Selector: selector, Template: templateFor(pod, selector),
		},
	}
}

func selectorFor(name string) *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchLabels: map[string]string{"app": name}}
}

func templateFor(pod *corev1.Pod, selector *metav1.LabelSelector) corev1.PodTemplateSpec {
	return corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: selector.MatchLabels}, Spec: pod.Spec,
	}
}

// logs waits until a line of the log has all these parts.
func logs(cluster *operatortest.Cluster, logged *lines, parts ...string) {
	cluster.Eventually(fmt.Sprintf("the log has a line with %q", parts), func() error {
		if !logged.has(parts...) {
			return errors.New("it has none")
		}
		return nil
	})
}

// One controller serves several kinds, as in Kooper's multi-resource-controller.
func TestObjectsOfEachKindAreLogged(t *testing.T) {
	var logged lines
	cluster := start(t, noWork, func(o *operator.Options) { o.Logger = logged.logger() })
	pod, plain, deployment, set := newPod("web"), newPod("plain"), newDeployment("shop"), newSet("db")
	plain.Labels = nil
	cluster.Create(pod, plain, deployment, set)
	logs(cluster, &logged, `msg="saw a Pod"`, "name=web", "namespace="+cluster.Namespace)
	logs(cluster, &logged, `msg="saw a Deployment"`, "name=shop")
	logs(cluster, &logged, `msg="saw a StatefulSet"`, "name=db")

	// A change of an object is a reason to log it again.
	cluster.MakeReady(pod)
	cluster.MakeReady(deployment)
	logs(cluster, &logged, "name=web", "phase=Running")
	logs(cluster, &logged, "name=shop", "ready=1")
	cluster.Converged(pod, deployment, set)
	cluster.Truthful(pod, deployment, set)
	if writes := cluster.Writes(); len(writes) > 0 {
		t.Errorf("the operator writes %v", writes)
	}
	if logged.has("name=plain") {
		t.Error("a Pod without the label is logged")
	}
}

// An earlier release may have had a Finalize, and its finalizer on each object.
func TestTheFinalizerOfAnEarlierReleaseGoes(t *testing.T) {
	cluster := start(t, noWork, nil)
	objects := []client.Object{newPod("web"), newDeployment("shop"), newSet("db")}
	for _, object := range objects {
		object.SetFinalizers([]string{"pod-logger.example.com/finalizer"})
	}
	cluster.Create(objects...)
	for _, object := range objects {
		cluster.Eventually(object.GetName()+" has no finalizer", func() error {
			if cluster.Get(object); len(object.GetFinalizers()) > 0 {
				return fmt.Errorf("it has %v", object.GetFinalizers())
			}
			return nil
		})
	}
	cluster.Converged(objects...)
}

// Two workers work on two objects at once, and not on a third: Kooper's ConcurrentWorkers.
func TestWorkersWorkAtOnce(t *testing.T) {
	begun, release := make(chan string, 100), make(chan struct{})
	cluster := start(t, func(ctx context.Context, object client.Object) error {
		begun <- object.GetName()
		select {
		case <-release:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}, func(o *operator.Options) { o.Workers = 2 })
	pods := []client.Object{newPod("a"), newPod("b"), newPod("c")}
	cluster.Create(pods...)
	cluster.Eventually("two work at once", func() error {
		if now := len(begun); now < 2 {
			return fmt.Errorf("%d does", now)
		}
		return nil
	})
	if first, second := <-begun, <-begun; first == second || len(begun) > 0 {
		t.Errorf("%s and %s are begun, and %d others", first, second, len(begun))
	}
	close(release)
	cluster.Converged(pods...)
}

// What fails is tried five times, as the spec file says, and again when the object changes:
// Kooper's ProcessingJobRetries.
func TestRetriesEndUntilTheObjectChanges(t *testing.T) {
	var fails atomic.Bool
	fails.Store(true)
	cluster := start(t, func(context.Context, client.Object) error {
		if fails.Load() {
			return errors.New("no luck")
		}
		return nil
	}, nil)
	pod := newPod("web")
	cluster.Create(pod)
	cluster.MakeReady(pod) // so that nobody changes it any more
	cluster.Eventually("the operator gives up", func() error {
		cluster.Advance(time.Minute)
		for _, result := range cluster.ReconcileResults(pod) {
			if result.Err != nil && strings.Contains(result.Err.Error(), "gave up after 5 attempts") {
				return nil
			}
		}
		return errors.New("it has not")
	})
	attempts := len(cluster.ReconcileResults(pod))
	cluster.Advance(time.Hour)
	cluster.Settled()
	if more := len(cluster.ReconcileResults(pod)); more != attempts {
		t.Errorf("%d attempts, and later %d", attempts, more)
	}

	fails.Store(false)
	cluster.Update(pod, func() { metav1.SetMetaDataAnnotation(&pod.ObjectMeta, "try", "again") })
	cluster.Converged(pod)
}
