package apply

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/declared"
)

func TestMetadataOnly(t *testing.T) {
	for _, test := range []struct {
		name string
		one  client.Object
		path string
	}{
		{"ConfigMap", configMap("key", "one"), "data.key"},
		{"Deployment", container(fieldRef("spec.nodeName")), inContainer + "image"},
	} {
		for _, strategy := range []declared.UpdateStrategy{declared.InPlace, declared.Recreate} {
			t.Run(test.name+" "+string(strategy), func(t *testing.T) {
				c := startServer(t).child(test.one, Desired{Policies: declared.Policies{Update: strategy}})
				c.Metadata = true
				if _, partial := c.expect(test.one, Created, "post 201").Object.(*metav1.PartialObjectMetadata); !partial {
					t.Error("the outcome has more than the cache")
				}
				c.settle(test.one) // a controller of the cluster may have written its status
				c.edit("someone", func(object client.Object) {
					object.SetAnnotations(map[string]string{"a": "b", hashKey: object.GetAnnotations()[hashKey]})
				})
				c.expect(test.one, Unchanged, "get 200")
				c.edit("someone", func(object client.Object) { object.SetOwnerReferences(nil) })
				if outcome := c.settle(test.one); outcome.Action != Updated || !outcome.Drift {
					t.Errorf("drift in the metadata: %+v", outcome)
				}
				c.drift(test.path, "theirs")
				want := map[declared.UpdateStrategy]Action{declared.InPlace: Updated, declared.Recreate: NeedsRecreation}[strategy]
				if outcome := c.settle(test.one); outcome.Action != want || !outcome.Drift {
					t.Errorf("drift elsewhere: %+v, want it %s", outcome, want)
				}
			})
		}
	}
}

// A child of which only the metadata is cached is read once after a start.
func TestMetadataOnlyAfterARestart(t *testing.T) {
	role := named(&rbacv1.Role{Rules: []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"get"}}}})
	for _, test := range []struct {
		name   string
		one    client.Object
		change func(client.Object) // while the operator is down
		drift  bool
	}{
		{"as created", container(fieldRef("spec.nodeName")), nil, false},
		{"its kind counts no generations", role, nil, false},
		{"someone else's field", container(fieldRef("spec.nodeName")), func(o client.Object) { o.(*appsv1.Deployment).Spec.Paused = true }, false},
		{"all fields taken", configMap("key", "one"), func(o client.Object) { o.(*corev1.ConfigMap).Data["key"] = "theirs" }, true},
		{"one of two taken", configMap("key", "one", "other", "two"), func(o client.Object) { o.(*corev1.ConfigMap).Data["key"] = "theirs" }, true},
		{"a label taken", labelled(container(fieldRef("spec.nodeName"))), func(o client.Object) { o.SetLabels(map[string]string{"app": "theirs"}) }, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := startServer(t).child(test.one, Desired{})
			c.Metadata = true
			c.expect(test.one, Created, "post 201")
			if test.change != nil {
				c.edit("someone", test.change)
			}
			c.restart()
			action, requests := Unchanged, "get 200"
			if test.drift {
				action, requests = Updated, "get 200, apply 200"
			}
			if outcome := c.expect(test.one, action, requests); outcome.Drift != test.drift {
				t.Errorf("drift is %v", outcome.Drift)
			}
			c.restart()
			c.expect(test.one, Unchanged, "get 200")
			if one, ok := test.one.(*corev1.ConfigMap); ok {
				c.expectAt("in the end", "data.key", one.Data["key"])
			}
			if test.one.GetLabels() != nil {
				c.expectAt("in the end", "metadata.labels.app", "web")
			}
		})
	}
}

func labelled(object client.Object) client.Object {
	object.SetLabels(map[string]string{"app": "web"})
	return object
}
