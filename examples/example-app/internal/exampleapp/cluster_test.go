package exampleapp

import (
	"errors"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/opgen-dev/opgen/runtime/kubelet"
	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"

	"example.com/example-app/api/v1alpha1"
)

func testConfig() operatortest.Config {
	return operatortest.Config{
		Controllers: func(mgr operator.Manager) ([]operator.Controller, error) {
			controller, err := New(mgr)
			return []operator.Controller{controller}, err
		},
		CRDs:    []string{"../../deploy/zz_generated.crd.yaml"},
		Roles:   "../../deploy/zz_generated.rbac.yaml",
		Schemes: runtime.SchemeBuilder{v1alpha1.AddToScheme},
		Kubelet: kubelet.WithoutImages("registry.example.com/example-app:broken"),
	}
}

// instance is an ExampleApp on a real API server, without which its test skips: see make test-e2e. Its Pods run as soon as
// they exist, unless no node can pull their image.
type instance struct {
	*operatortest.Cluster
	app *v1alpha1.ExampleApp
}

func start(t *testing.T, change func(*v1alpha1.ExampleApp)) instance {
	return startWith(t, nil, change)
}

func startWith(t *testing.T, options func(*operator.Options), change func(*v1alpha1.ExampleApp)) instance {
	t.Parallel()
	config := testConfig()
	config.Options = options
	i := instance{Cluster: operatortest.Start(t, config), app: newApp(t, change)}
	i.Create(i.app)
	i.is("1.0.0", "UpToDate")
	return i
}

// is waits until the status has a version, and the condition Upgraded a reason.
func (i instance) is(version, reason string) {
	i.says(fmt.Sprintf("version %s, and %s", version, reason), func(status v1alpha1.ExampleAppStatus) bool {
		upgraded := meta.FindStatusCondition(status.Conditions, "Upgraded")
		return status.CurrentVersion == version && upgraded != nil && upgraded.Reason == reason
	})
}

// says waits until the status says something.
func (i instance) says(what string, holds func(v1alpha1.ExampleAppStatus) bool) {
	i.Eventually("the status says "+what, func() error {
		if !i.Get(i.app) || !holds(i.app.Status) {
			return fmt.Errorf("it says %+v", i.app.Status)
		}
		return nil
	})
}

// runs waits until the Deployment has a version.
func (i instance) runs(version string) {
	d := deployment()
	i.Eventually("the Deployment has version "+version, func() error {
		if !i.Get(d) || versionOf(d.Spec.Template) != version {
			return fmt.Errorf("it has %v", d.Spec.Template.Spec.Containers)
		}
		return nil
	})
}

// ends requires that nothing is left to do and that the status is true, and deletes the ExampleApp.
func (i instance) ends() {
	i.Converged(i.app)
	i.Truthful(i.app)
	i.Delete(i.app)
	i.Gone(i.app, deployment())
}

func (i instance) change(change func(*v1alpha1.ExampleAppSpec)) {
	i.Update(i.app, func() { change(&i.app.Spec) })
}

func (i instance) wants(version string) {
	i.change(func(spec *v1alpha1.ExampleAppSpec) { spec.AppVersion = version })
}

func claim(name string) *corev1.PersistentVolumeClaim {
	return &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: name}}
}

// TestExplore has copiers, planters and others change what the operator has made, and lets requests fail and operators
// crash. The ExampleApp has an autoscaler, so that it has children of every kind.
func TestExplore(t *testing.T) {
	named := func(name string) *v1alpha1.ExampleApp {
		app := newApp(t, func(app *v1alpha1.ExampleApp) {
			app.Spec.Autoscaling = &v1alpha1.ExampleAppAutoscaling{MaxReplicas: 3}
		})
		app.Name = name
		return app
	}
	operatortest.Explore(t, testConfig(), operatortest.Life{Parents: operatortest.ParentsOf(named)})
}

// TestClusterNamespaceTerminates deletes the namespace in the middle of an upgrade, when nothing can be created any more.
func TestClusterNamespaceTerminates(t *testing.T) {
	i := start(t, nil)
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: i.Namespace}}
	i.wants("broken")
	i.Exists(job("shop-migrate-broken"))
	i.Delete(namespace)
	i.Gone(i.app, deployment(), job("shop-migrate-broken"))
}

// TestClusterInvalid has the API server refuse what the operator could not carry out.
func TestClusterInvalid(t *testing.T) {
	t.Parallel()
	cluster := operatortest.Start(t, testConfig())
	for what, change := range map[string]func(*v1alpha1.ExampleApp){
		"a long name":              func(app *v1alpha1.ExampleApp) { app.Name = "a23456789-123456789-123456789-1" },
		"a store without a bucket": func(app *v1alpha1.ExampleApp) { app.Spec.Backup = &v1alpha1.ExampleAppBackup{StorageType: "s3"} },
		"more at least than at most": func(app *v1alpha1.ExampleApp) {
			app.Spec.Autoscaling = &v1alpha1.ExampleAppAutoscaling{MinReplicas: 2, MaxReplicas: 1}
		},
		"an autoscaler that is stopped": func(app *v1alpha1.ExampleApp) {
			app.Spec.Replicas, app.Spec.Autoscaling = new(int32), &v1alpha1.ExampleAppAutoscaling{MaxReplicas: 2}
		},
	} {
		app := newApp(t, change)
		app.Namespace = cluster.Namespace
		if err := cluster.Client.Create(t.Context(), app); err == nil {
			t.Error(errors.New(what + " is accepted"))
		}
	}
}
