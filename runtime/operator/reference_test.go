package operator_test

import (
	"context"
	"fmt"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/operator"
)

// A child that stays has an owner reference of the present version of its parent's kind, whether it is desired or not.
func TestOwnerReferenceOfEachChildThatStaysIsRenewed(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		sync   customFunction
		change func(*definition)
	}{
		"it is desired": {sync: customDesire(func(_ *customRequest, want *Desired) { want.ConfigMaps.Add(configMap("child", "")) })},
		"it is desired, and unchanged": {sync: customDesire(func(_ *customRequest, want *Desired) {
			want.ConfigMaps.Add(configMap("child", "other"), operator.CreateOnly)
		})},
		"it is kept": {sync: customDesire(func(_ *customRequest, want *Desired) { want.ConfigMaps.Keep("child") })},
		"all are kept": {sync: func(context.Context, *customRequest) (*Response, error) {
			return &Response{Children: new(Desired), KeepAll: true}, nil
		}},
		"nothing is said": {sync: func(context.Context, *customRequest) (*Response, error) { return &Response{}, nil }},
		"it is history": {sync: customDesire(func(*customRequest, *Desired) {}), change: func(d *definition) {
			d.Kinds = func(observed *Children, desired *Desired) []operator.ChildKind {
				described := kinds(observed, desired)
				described[0].History = &operator.History{Succeeded: 1}
				return described
			}
		}},
		"it is refused": {sync: customDesire(func(_ *customRequest, want *Desired) {
			refused := configMap("child", "")
			refused.Data["Not A Key"] = ""
			want.ConfigMaps.Add(refused)
		})},
		"another one is invalid": {sync: customDesire(func(_ *customRequest, want *Desired) {
			want.ConfigMaps.Add(configMap("elsewhere", ""))
			want.ConfigMaps.Add(configMap("elsewhere", ""))
		})},
		"it waits": {sync: customDesire(func(_ *customRequest, want *Desired) {
			never := pod("never", "web")
			want.Pods.Add(never)
			want.ConfigMaps.Add(configMap("child", "other"), operator.After(never))
		})},
		"its pruning waits": {sync: customDesire(func(_ *customRequest, want *Desired) {
			want.ConfigMaps.Add(configMap("Not_A_Name", ""))
		})},
	} {
		t.Run(name, func(t *testing.T) {
			c := startCustom(t, customDesire(func(_ *customRequest, want *Desired) { want.ConfigMaps.Add(configMap("child", "")) }), test.change)
			site, child := c.site("web"), configMap("child", "")
			c.says(site, allReady)
			c.Exists(child)
			c.Settled()
			uid := child.UID
			for _, spoil := range []func(*metav1.OwnerReference){
				func(ref *metav1.OwnerReference) { ref.APIVersion = "test.opgen.dev/v1alpha1" },
				func(ref *metav1.OwnerReference) { ref.BlockOwnerDeletion = nil },
			} {
				c.Stop()
				c.Update(child, func() { spoil(&child.OwnerReferences[0]) })
				c.setSync(test.sync)
				c.Restart()
				c.Eventually("its reference is renewed", func() error {
					if c.Get(child); len(child.OwnerReferences) != 1 || !isFresh(child) {
						return fmt.Errorf("it is %+v", child.OwnerReferences)
					}
					return nil
				})
				before := c.Settled()
				c.Reconcile(site)
				if c.Get(child); child.UID != uid {
					t.Error("it was recreated")
				}
				if sent := c.requestsOf(before); len(sent) > 0 && name != "its pruning waits" && name != "it is refused" && name != "another one is invalid" {
					t.Errorf("afterwards it costs %v", sent)
				}
			}
		})
	}
}

func isFresh(child client.Object) bool {
	ref := metav1.GetControllerOf(child)
	return ref != nil && ref.APIVersion == "test.opgen.dev/v1" && ref.BlockOwnerDeletion != nil && *ref.BlockOwnerDeletion
}
