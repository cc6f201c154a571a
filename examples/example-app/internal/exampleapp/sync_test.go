package exampleapp

import (
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"

	"example.com/example-app/api/v1alpha1"
)

// newApp is an ExampleApp as the API server has it: with the defaults of its schema.
func newApp(t *testing.T, change func(*v1alpha1.ExampleApp)) *v1alpha1.ExampleApp {
	t.Helper()
	app := &v1alpha1.ExampleApp{
		ObjectMeta: metav1.ObjectMeta{Name: "shop"},
		Spec:       v1alpha1.ExampleAppSpec{AppVersion: "1.0.0"},
	}
	if change != nil {
		change(app)
	}
	return operatortest.Defaulted(t, "../../deploy/zz_generated.crd.yaml", app)
}

// life is an ExampleApp in a simulation, in which the test plays everybody else.
type life struct {
	t   *testing.T
	app *v1alpha1.ExampleApp
	sim *operatortest.Simulation[*v1alpha1.ExampleApp, Children, Related, Desired, v1alpha1.ExampleAppStatus]
}

func startLife(t *testing.T, change func(*v1alpha1.ExampleApp)) *life {
	t.Helper()
	controller, err := New(nil)
	if err != nil {
		t.Fatal(err)
	}
	l := &life{t: t, app: newApp(t, change)}
	l.sim = operatortest.Simulate(t, new(Reconciler).Sync, l.app, controller)
	return l
}

// installed is a life whose first version serves.
func installed(t *testing.T, change func(*v1alpha1.ExampleApp)) *life {
	t.Helper()
	l := startLife(t, change)
	l.sim.Converged()
	l.serves()
	return l
}

func deployment() *appsv1.Deployment {
	return &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "shop"}}
}

func job(name string) *batchv1.Job { return &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: name}} }

// serves has the Pods of the Deployment run, or be gone if there are to be none.
func (l *life) serves() {
	l.t.Helper()
	d := deployment()
	if !l.sim.Get(d) {
		l.t.Fatal("there is no Deployment")
	}
	if d.Spec.Replicas != nil && *d.Spec.Replicas == 0 {
		l.sim.Update(d, func() { d.Status = appsv1.DeploymentStatus{ObservedGeneration: d.Generation} })
	} else {
		l.sim.MakeReady(d)
	}
	l.sim.Converged()
}

// ends has the Job of a step succeed.
func (l *life) ends(name string) {
	l.t.Helper()
	if !l.sim.Get(job(name)) {
		l.t.Fatalf("there is no Job %s", name)
	}
	l.sim.MakeReady(job(name))
	l.sim.Converged()
}

// runs compares the image and the replicas of the Deployment, and the Jobs that exist.
func (l *life) runs(version string, replicas int32, jobs ...string) {
	l.t.Helper()
	d := deployment()
	if !l.sim.Get(d) {
		l.t.Fatal("there is no Deployment")
	}
	if image := d.Spec.Template.Spec.Containers[0].Image; !strings.HasSuffix(image, ":"+version) {
		l.t.Errorf("the Deployment runs %s, want %s", image, version)
	}
	if d.Spec.Replicas == nil || *d.Spec.Replicas != replicas {
		l.t.Errorf("the Deployment has %v replicas, want %d", d.Spec.Replicas, replicas)
	}
	var names []string
	request := l.sim.Request()
	for _, jobs := range []operator.Snapshot[*batchv1.Job]{request.Children.Steps, request.Children.Backups} {
		for job := range jobs.All() {
			names = append(names, job.Name)
		}
	}
	if !slices.Equal(names, jobs) {
		l.t.Errorf("these Jobs exist: %v, want %v", names, jobs)
	}
}

// says compares the version in the status, and the reason of the condition Upgraded.
func (l *life) says(version, reason string) {
	l.t.Helper()
	l.sim.Expect(operatortest.Case[Request, Response]{Check: func(t testing.TB, got *Response) {
		t.Helper()
		upgraded := meta.FindStatusCondition(got.Conditions, "Upgraded")
		if got.Status.CurrentVersion != version || upgraded.Reason != reason {
			t.Errorf("the status says %q, %s, want %q, %s", got.Status.CurrentVersion, upgraded.Reason, version, reason)
		}
	}})
}

func TestInstall(t *testing.T) {
	l := startLife(t, nil)
	l.sim.Converged()
	l.runs("1.0.0", 1)
	l.says("", "Installing")
	l.serves()
	l.says("1.0.0", "UpToDate")
	for _, claim := range []string{"shop-data", "shop-backups"} {
		if !l.sim.Get(&corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: claim}}) {
			t.Errorf("the claim %s is missing", claim)
		}
	}
}

// A first version that never serves is not upgraded, but replaced.
func TestInstallAnotherVersionThanABrokenOne(t *testing.T) {
	l := startLife(t, func(app *v1alpha1.ExampleApp) { app.Spec.AppVersion = "0.9.0" })
	l.sim.Converged()
	l.app.Spec.AppVersion = "1.0.0"
	l.sim.Converged()
	l.runs("1.0.0", 1)
	l.serves()
	l.says("1.0.0", "UpToDate")
}
