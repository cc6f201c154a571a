package exampleapp

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/opgen-dev/opgen/runtime/operatortest"

	"example.com/example-app/api/v1alpha1"
)

func TestClusterInstall(t *testing.T) {
	i := start(t, nil)
	i.Exists(claim("shop-data"), claim("shop-backups"), &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: "shop"}})
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: i.app.Status.AuthSecretName}}
	if i.Exists(secret); len(secret.Data["token"]) != 32 {
		t.Errorf("the token has %d characters", len(secret.Data["token"]))
	}
	i.ends()
}

// TestClusterTakeOwnership takes over a Deployment that somebody made by hand, without a restart, and upgrades it then.
func TestClusterTakeOwnership(t *testing.T) {
	t.Parallel()
	i := instance{Cluster: operatortest.Start(t, testConfig()), app: newApp(t, nil)}
	theirs := deploymentFor(i.app, "0.9.0")
	theirs.Spec.Template.Spec = corev1.PodSpec{Containers: []corev1.Container{{Name: "app", Image: "registry.example.com/example-app:0.9.0"}}}
	two := int32(2)
	theirs.Spec.Replicas = &two
	i.Create(theirs)
	i.MakeReady(theirs)
	i.app.Spec.AppVersion, i.app.Spec.Replicas = "0.9.0", &two
	i.Create(i.app)
	i.is("0.9.0", "UpToDate")
	if i.Get(theirs); len(theirs.OwnerReferences) != 1 || len(theirs.Spec.Template.Spec.Volumes) != 0 {
		t.Errorf("the Deployment is %v", theirs)
	}
	i.Converged(i.app)
	i.wants("1.0.0")
	i.is("1.0.0", "UpToDate")
	i.runs("1.0.0")
	i.ends()
}

// TestClusterAutoConfiguration works settings out of the memory, and takes those of the user in their place.
func TestClusterAutoConfiguration(t *testing.T) {
	i := start(t, nil)
	d := deployment()
	i.Exists(d)
	first := d.Spec.Template.Annotations[settingsAnnotation]
	settings := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "shop"}}
	has := func(largest string) {
		i.Eventually("the largest value is "+largest, func() error {
			if i.Get(settings); settings.Data["MAX_VALUE_BYTES"] != largest {
				return fmt.Errorf("the settings are %v", settings.Data)
			}
			return nil
		})
		i.Converged(i.app)
	}
	i.change(func(spec *v1alpha1.ExampleAppSpec) {
		spec.Resources = &corev1.ResourceRequirements{
			Limits: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("64Mi")},
		}
	})
	has("1048576")
	i.change(func(spec *v1alpha1.ExampleAppSpec) { spec.Config = map[string]string{"MAX_VALUE_BYTES": "10"} })
	has("10")
	if i.Get(d); d.Spec.Template.Annotations[settingsAnnotation] == first {
		t.Error("other settings do not restart the Pods")
	}
	i.ends()
}

// TestClusterDisconnect leaves the application as it is, without an operator.
func TestClusterDisconnect(t *testing.T) {
	i := start(t, nil)
	i.Update(i.app, func() {
		i.app.Annotations = map[string]string{"example-app.appdelivery.cncf.io/disconnect": "true"}
	})
	d := deployment()
	i.Eventually("the Deployment has no owner", func() error {
		if i.Get(d); len(d.OwnerReferences) > 0 {
			return fmt.Errorf("it has %v", d.OwnerReferences)
		}
		return nil
	})
	i.Truthful(i.app)
	i.Delete(i.app)
	i.Gone(i.app)
	if i.Get(d); d.DeletionTimestamp != nil {
		t.Error("the Deployment went with the ExampleApp")
	}
}

// TestClusterUninstall leaves the data, where the next ExampleApp of the name finds them.
func TestClusterUninstall(t *testing.T) {
	i := start(t, nil)
	data := claim("shop-data")
	i.Exists(data)
	i.ends()
	if !i.Get(data) || data.DeletionTimestamp != nil {
		t.Fatal("the data went with the ExampleApp")
	}

	// They go with the next one, if it says so.
	i.app = newApp(t, func(app *v1alpha1.ExampleApp) { app.Spec.WhenDeleted = v1alpha1.ExampleAppWhenDeletedDeleteData })
	i.Create(i.app)
	i.is("1.0.0", "UpToDate")
	same := claim("shop-data")
	if i.Exists(same); same.UID != data.UID {
		t.Error("the data are not those of before")
	}
	i.ends()
	i.Eventually("the claim of the data is being deleted", func() error { // something protects it while Pods use it
		if i.Get(same) && same.DeletionTimestamp == nil {
			return fmt.Errorf("it is not")
		}
		return nil
	})
}
