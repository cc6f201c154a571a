package apply

import (
	"testing"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/opgen-dev/opgen/runtime/internal/declared"
)

// A new version of the operator reads its parents in another version of their kind.
func TestOwnerReferenceFollowsTheParentsVersion(t *testing.T) {
	for _, strategy := range []declared.UpdateStrategy{declared.InPlace, declared.Recreate, declared.OnDelete, declared.CreateOnly} {
		for _, plain := range []bool{false, true} {
			t.Run(string(strategy)+" "+ways[plain], func(t *testing.T) {
				child := configMap("key", "one")
				c := startServer(t).child(child, Desired{Policies: declared.Policies{Update: strategy}})
				c.applied = !plain
				parent := &autoscalingv2.HorizontalPodAutoscaler{ObjectMeta: metav1.ObjectMeta{Namespace: c.namespace, Name: "parent"}, Spec: autoscalingv2.HorizontalPodAutoscalerSpec{
					ScaleTargetRef: autoscalingv2.CrossVersionObjectReference{APIVersion: "apps/v1", Kind: "Deployment", Name: "none"}, MaxReplicas: 1}}
				if err := c.Create(t.Context(), parent); err != nil { // of a kind that is served in two versions
					t.Fatal(err)
				}
				c.wish.Owner = parent.UID
				version := "autoscaling/v1"
				own := func(metadata object) {
					metadata["ownerReferences"] = []any{object{
						"apiVersion": version, "kind": "HorizontalPodAutoscaler", "name": parent.Name, "uid": string(parent.UID), "controller": true, "blockOwnerDeletion": true,
					}}
				}
				c.wish.AddOwnerMetadata = own
				c.wish.Ownership = func() map[string]any {
					metadata := object{}
					own(metadata)
					return metadata
				}
				do := func() Outcome {
					t.Helper()
					content, err := Canonical(child)
					if err != nil {
						t.Fatal(err)
					}
					d, err := NewDesired(c.wish, content)
					if err != nil {
						t.Fatal(err)
					}
					live := c.cached()
					if live == nil && c.applied {
						made, err := c.applyFirst(d)
						if err != nil {
							t.Fatal(err)
						}
						return made
					}
					outcome, err := c.ApplyChild(t.Context(), c.now, c.state, d, live)
					if err != nil {
						t.Fatal(err)
					}
					return outcome
				}
				uid := do().Object.GetUID()
				if outcome := do(); outcome.Action != Unchanged {
					t.Errorf("before the change the child is %s", outcome.Action)
				}
				version = "autoscaling/v2"
				c.restart()
				if outcome := do(); outcome.Action != Updated {
					t.Errorf("the child is %s", outcome.Action)
				}
				live := c.live().(*corev1.ConfigMap)
				if len(live.OwnerReferences) != 1 || live.OwnerReferences[0].APIVersion != version || live.UID != uid {
					t.Errorf("its owners are %v", live.OwnerReferences)
				}
				if outcome := do(); outcome.Action != Unchanged {
					t.Errorf("in the end the child is %s", outcome.Action)
				}
				c.restart()
				if outcome := do(); outcome.Action != Unchanged {
					t.Errorf("after another restart the child is %s", outcome.Action)
				}
			})
		}
	}
}
