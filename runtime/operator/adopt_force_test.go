package operator_test

import (
	"errors"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	"github.com/opgen-dev/opgen/runtime/operator"
)

func TestChildOfAnotherControllerIsNotDeleted(t *testing.T) {
	t.Parallel()
	for _, option := range []operator.ChildOption{operator.Recreate, operator.RecreateIfImmutable} {
		t.Run(testName(option), func(t *testing.T) {
			c := startCustom(t, customDesire(func(_ *customRequest, want *Desired) {
				want.ConfigMaps.Add(configMap("web", "one"), option)
			}), nil)
			site, child := c.site("web"), configMap("web", "")
			c.says(site, allReady)
			c.Get(child)
			uid := child.UID
			other := named(&corev1.Secret{}, "other")
			c.Create(other)
			c.Update(child, func() {
				delete(child.Labels, c.group+"/site")
				child.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(other, corev1.SchemeGroupVersion.WithKind("Secret"))}
			})
			c.says(site, "ConfigMap "+c.Namespace+"/web exists already and belongs to Secret other: choose another name")
			c.Settled()
			if !c.Get(child) || child.UID != uid || child.DeletionTimestamp != nil {
				t.Errorf("the other controller's child was deleted: it is now %s, and was %s", child.UID, uid)
			}
		})
	}
}

func testName(option operator.ChildOption) string {
	if option == operator.ChildOption(operator.Recreate) {
		return "Recreate"
	}
	return "RecreateIfImmutable"
}

func TestTwoParentsThatForceTheSameChildBackOff(t *testing.T) {
	c := startCustom(t, customDesire(func(req *customRequest, want *Desired) {
		want.ConfigMaps.Add(configMap("shared", req.Parent.Name), operator.AdoptForce)
	}), nil)
	first, second := c.site("first"), c.site("second")
	c.Eventually("one of them shows who has the child", func() error {
		for _, site := range []*testapi.Site{first, second} {
			c.Get(site)
			if shown := meta.FindStatusCondition(site.Status.Conditions, "Ready"); shown != nil && shown.Reason == "FieldConflict" {
				return nil
			}
		}
		return errors.New("neither does")
	})
	c.Eventually("the child says whose it is", func() error {
		shared := configMap("shared", "")
		c.Get(shared)
		if controller := metav1.GetControllerOf(shared); controller == nil || controller.Name != shared.Data["key"] {
			return fmt.Errorf("it belongs to %v and says %v", controller, shared.Data)
		}
		return nil
	})
}
