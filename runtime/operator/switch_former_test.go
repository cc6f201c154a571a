package operator_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

// formerOperator is an operator as kubebuilder's documentation has one written: it updates what differs, and
// has its children by their controller references. Its binary gives its field manager a name.
type formerOperator struct {
	client.Client
	isLegacy bool         // an earlier release, which set more fields
	changes  atomic.Int64 // of objects that exist, but for those of the Site poked
}

// runFormer runs the operator over the Sites of a namespace until stop is called.
func runFormer(t *testing.T, cluster *operatortest.Cluster, isLegacy bool) (former *formerOperator, stop func()) {
	t.Helper()
	settings, err := clientcmd.BuildConfigFromFlags("", os.Getenv("OPGEN_TEST_KUBECONFIG"))
	if err != nil {
		t.Fatal(err)
	}
	former = &formerOperator{isLegacy: isLegacy}
	settings.UserAgent, settings.QPS = formerManager, -1
	settings.Wrap(func(next http.RoundTripper) http.RoundTripper { return counting{next, &former.changes} })
	scheme := runtime.NewScheme()
	if err := errors.Join(clientgoscheme.AddToScheme(scheme), testapi.AddToScheme(scheme)); err != nil {
		t.Fatal(err)
	}
	mgr, err := ctrl.NewManager(settings, ctrl.Options{
		Scheme: scheme, Metrics: metricsserver.Options{BindAddress: "0"}, Controller: config.Controller{SkipNameValidation: ptr.To(true)},
		Cache: cache.Options{DefaultNamespaces: map[string]cache.Config{cluster.Namespace: {}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	former.Client = mgr.GetClient()
	build := ctrl.NewControllerManagedBy(mgr).For(&testapi.Site{}).Owns(&appsv1.Deployment{}).Owns(&corev1.Secret{}).Owns(&batchv1.Job{})
	if err := build.Complete(former); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- mgr.Start(ctx) }()
	return former, func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

// counting is a transport that counts the requests that change an object, but for those of the Site poked:
// its own first status may take two.
type counting struct {
	next    http.RoundTripper
	changes *atomic.Int64
}

func (t counting) RoundTrip(request *http.Request) (*http.Response, error) {
	isChange := request.Method != http.MethodGet && request.Method != http.MethodPost
	if isChange && !strings.Contains(request.URL.Path, "/poked") {
		t.changes.Add(1)
	}
	return t.next.RoundTrip(request)
}

// Reconcile makes the children of a Site.
func (o *formerOperator) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	site := new(testapi.Site)
	if err := o.Get(ctx, request.NamespacedName, site); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if err := errors.Join(o.makeSecret(ctx, site), o.makeDeployment(ctx, site), o.makeJob(ctx, site)); err != nil {
		return ctrl.Result{}, err
	}
	if site.Status.Phase == "Running" {
		return ctrl.Result{}, nil
	}
	site.Status.Phase = "Running"
	return ctrl.Result{}, o.Status().Update(ctx, site)
}

// makeSecret makes a password, unless there is one.
func (o *formerOperator) makeSecret(ctx context.Context, site *testapi.Site) error {
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: site.Namespace, Name: site.Name}}
	_, err := controllerutil.CreateOrUpdate(ctx, o, secret, func() error {
		if secret.Data["password"] == nil {
			secret.Data = map[string][]byte{"password": []byte(rand.Text())}
		}
		if o.isLegacy {
			secret.Data["legacy"] = []byte("1")
		}
		return controllerutil.SetControllerReference(site, secret, o.Scheme())
	})
	return err
}

func (o *formerOperator) makeDeployment(ctx context.Context, site *testapi.Site) error {
	deployment := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: site.Namespace, Name: site.Name}}
	_, err := controllerutil.CreateOrUpdate(ctx, o, deployment, func() error {
		fillDeployment(deployment)
		if o.isLegacy {
			deployment.Spec.MinReadySeconds, deployment.Spec.RevisionHistoryLimit = 5, ptr.To[int32](3)
			metav1.SetMetaDataAnnotation(&deployment.ObjectMeta, "example.com/legacy", "1")
		}
		return controllerutil.SetControllerReference(site, deployment, o.Scheme())
	})
	return err
}

// fillDeployment sets what both operators desire of a Deployment.
func fillDeployment(deployment *appsv1.Deployment) {
	labels := map[string]string{"app": deployment.Name}
	metav1.SetMetaDataLabel(&deployment.ObjectMeta, "app", deployment.Name)
	deployment.Spec.Replicas = ptr.To[int32](0)
	deployment.Spec.Selector = &metav1.LabelSelector{MatchLabels: labels}
	deployment.Spec.Template.Labels = labels
	if len(deployment.Spec.Template.Spec.Containers) == 0 {
		deployment.Spec.Template.Spec.Containers = make([]corev1.Container, 1)
	}
	container := &deployment.Spec.Template.Spec.Containers[0]
	container.Name, container.Image, container.Command = "web", "web:1", []string{"serve"}
}

// makeJob starts a Job, unless the Site has one.
func (o *formerOperator) makeJob(ctx context.Context, site *testapi.Site) error {
	jobs := new(batchv1.JobList)
	if err := o.List(ctx, jobs, client.InNamespace(site.Namespace)); err != nil {
		return err
	}
	for i := range jobs.Items {
		if metav1.IsControlledBy(&jobs.Items[i], site) {
			return nil
		}
	}
	job := newJob(site, "former")
	if o.isLegacy {
		job.Annotations = map[string]string{"example.com/legacy": "1"}
	}
	if err := controllerutil.SetControllerReference(site, job, o.Scheme()); err != nil {
		return err
	}
	if err := o.Create(ctx, job); !apierrors.IsAlreadyExists(err) { // the cache was behind
		return err
	}
	return nil
}

// newJob returns a Job of a run that one operator started.
func newJob(site *testapi.Site, by string) *batchv1.Job {
	return &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: site.Namespace, Name: fmt.Sprintf("%s-run-by-the-%s", site.Name, by)}, Spec: batchv1.JobSpec{
		Suspend: ptr.To(true),
		Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
			RestartPolicy: corev1.RestartPolicyNever, Containers: []corev1.Container{{Name: "run", Image: "run:1"}},
		}},
	}}
}
