package operator_test

import (
	"fmt"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/operator"
)

func TestFieldConflictOfAForeignParentIsAnEvent(t *testing.T) {
	cluster := startDecorator(t, []operator.ParentKind{{Object: &corev1.ConfigMap{}, Labels: "decorate"}}, nil)
	config, child := configMap("web", ""), named(&corev1.Secret{}, "config-web")
	config.Labels = map[string]string{"decorate": ""}
	cluster.Create(config)
	expect := func(conflicts ...string) {
		t.Helper()
		cluster.Eventually("the events are there", func() error {
			got := eventsOn(t, cluster, "ConfigMap")
			if slices.Sort(got); !slices.Equal(got, conflicts) {
				return fmt.Errorf("got %q, want %q", got, conflicts)
			}
			return nil
		})
	}
	metadata := `Warning FieldConflict: the parent's own metadata: field manager "other-manager" keeps changing metadata.labels.decorated, which is repaired less and less often until it stops`
	for range 3 {
		decorated(t, cluster, config, true)
		cluster.Settled()
		other := client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"labels":{"decorated":"no"}}}`))
		if err := cluster.Client.Patch(t.Context(), config, other, client.FieldOwner("other-manager")); err != nil {
			t.Fatal(err)
		}
	}
	expect(metadata)
	for range 3 {
		cluster.Exists(child)
		cluster.Settled()
		cluster.Delete(child)
		cluster.Gone(child)
	}
	expect("Warning FieldConflict: Secret "+cluster.Namespace+"/config-web: somebody keeps deleting it, and it is recreated less and less often until that stops", metadata)
	cluster.Settled()
	cluster.Reconcile(config) // which says it no second time
	if events := eventsOn(t, cluster, "ConfigMap"); len(events) != 2 {
		t.Errorf("events are %q", events)
	}
}

func TestFieldConflictWithoutConditionsIsAnEvent(t *testing.T) {
	f := start(t, &author{sync: desire(desireOne), alter: func(d *siteDefinition) { d.Conditions = nil }})
	child := named(&corev1.ConfigMap{}, "web")
	for range 3 {
		f.Eventually("the child is as desired", func() error { return expectValue(f.Cluster, child, "one") })
		f.Settled()
		child.Data["key"] = "theirs"
		if err := f.Client.Update(t.Context(), child, client.FieldOwner("other-manager")); err != nil {
			t.Fatal(err)
		}
	}
	f.expectEvents("Warning FieldConflict: ConfigMap " + f.Namespace + `/web: field manager "other-manager" keeps changing data.key, which is repaired less and less often until it stops`)
}
