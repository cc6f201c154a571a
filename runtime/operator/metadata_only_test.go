package operator_test

import (
	"context"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

type (
	leanChildren struct {
		ConfigMaps operator.Snapshot[*metav1.PartialObjectMetadata]
	}
	leanDesired struct {
		ConfigMaps operator.DesiredSet[*corev1.ConfigMap]
	}
	leanRequest  = operator.Request[*corev1.Secret, leanChildren, struct{}]
	leanResponse = operator.Response[leanDesired, struct{}]
)

func TestChildrenOfWhichOnlyMetadataIsCached(t *testing.T) {
	t.Parallel()
	seen := make(chan int, 100)
	cluster := operatortest.Start(t, operatortest.Config{Controllers: func(operator.Manager) ([]operator.Controller, error) {
		return []operator.Controller{operator.NewController(operator.Definition[*corev1.Secret, struct{}, leanChildren, leanDesired, struct{}]{
			Name: "lean", Group: "lean.test.opgen.dev", Parents: []operator.ParentKind{{Object: &corev1.Secret{}, Labels: "lean"}},
			Kinds: func(observed *leanChildren, desired *leanDesired) []operator.ChildKind {
				return []operator.ChildKind{{Object: &corev1.ConfigMap{}, Metadata: true, Fields: operator.BindMetadata(&observed.ConfigMaps, &desired.ConfigMaps)}}
			},
			Sync: func(_ context.Context, req *leanRequest) (*leanResponse, error) {
				seen <- req.Children.ConfigMaps.Len()
				want := new(leanDesired)
				want.ConfigMaps.Add(configMap("data", string(req.Parent.Data["text"])))
				return &leanResponse{Children: want}, nil
			},
		})}, nil
	}})
	parent := named(&corev1.Secret{Data: map[string][]byte{"text": []byte("one")}}, "web")
	parent.Labels = map[string]string{"lean": ""}
	cluster.Create(parent)
	child := configMap("data", "")
	cluster.Exists(child)
	cluster.Settled()

	cluster.Update(parent, func() { parent.Data["text"] = []byte("two") })
	cluster.Eventually("the change arrives", func() error { return expectValue(cluster, child, "two") })
	cluster.Update(child, func() { child.Data["key"] = "drifted" })
	cluster.Eventually("the drift is repaired", func() error { return expectValue(cluster, child, "two") })
	before := cluster.Settled()
	cluster.Restart()
	cluster.Update(parent, func() { parent.Annotations = map[string]string{"poke": "1"} })
	cluster.Settled()
	if made := cluster.Requests()[before:]; len(made) != 1 || made[0].Verb != "get" || made[0].Name != "data" {
		t.Errorf("a restart cost %v, want that the child is read once", made)
	}
	for len(seen) > 1 {
		<-seen
	}
	if n := <-seen; n != 1 {
		t.Errorf("the last reconcile saw %d children, want 1", n)
	}
}

// Options reach a child in a cache of metadata, too, whose content is refused.
func TestOptionsReachARefusedChildOfWhichOnlyMetadataIsCached(t *testing.T) {
	t.Parallel()
	cluster := operatortest.Start(t, operatortest.Config{Controllers: func(operator.Manager) ([]operator.Controller, error) {
		return []operator.Controller{operator.NewController(operator.Definition[*corev1.Secret, struct{}, leanChildren, leanDesired, struct{}]{
			Name: "lean", Group: "options.lean.test.opgen.dev", Parents: []operator.ParentKind{{Object: &corev1.Secret{}, Labels: "leanoptions"}},
			Kinds: func(observed *leanChildren, desired *leanDesired) []operator.ChildKind {
				return []operator.ChildKind{{Object: &corev1.ConfigMap{}, Metadata: true, Fields: operator.BindMetadata(&observed.ConfigMaps, &desired.ConfigMaps)}}
			},
			Sync: func(_ context.Context, req *leanRequest) (*leanResponse, error) {
				want := new(leanDesired)
				want.ConfigMaps.Add(versioned(string(req.Parent.Data["text"])), removalOptions(string(req.Parent.Data["policy"]))...)
				return &leanResponse{Children: want}, nil
			},
		})}, nil
	}})
	parent := named(&corev1.Secret{Data: map[string][]byte{"text": []byte("one"), "policy": []byte("Delete")}}, "parent")
	parent.Labels = map[string]string{"leanoptions": ""}
	cluster.Create(parent)
	child := configMap("web", "")
	cluster.Exists(child)
	cluster.Update(parent, func() { parent.Data["text"], parent.Data["policy"] = []byte("two"), []byte("Orphan") })
	cluster.Eventually("the option is recorded", func() error {
		if cluster.Get(child); child.Annotations["options.lean.test.opgen.dev/when-removed"] != "Orphan" || len(child.OwnerReferences) > 0 {
			return fmt.Errorf("annotations %v, owners %v", child.Annotations, child.OwnerReferences)
		}
		return nil
	})
	cluster.Delete(parent)
	cluster.Gone(parent)
	if !cluster.Get(child) || child.DeletionTimestamp != nil {
		t.Error("the child is gone")
	}
}
