package operator_test

import (
	"context"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/opgen-dev/opgen/runtime/operatortest"
)

// What is not desired any more may be what a child still needs that could not be
// applied.
func TestNothingIsPrunedWhileAChildCannotBeApplied(t *testing.T) {
	f := start(t, &author{sync: desire(func(want *Desired) { want.ConfigMaps.Add(configMap("before", "one")) })})
	f.status("Ready", "Ready")
	before := configMap("before", "")
	f.Exists(before)
	f.setSync(desire(func(want *Desired) {
		want.ConfigMaps.Add(configMap("Not_A_Name", "two"))
		want.ConfigMaps.Add(configMap("after", "two"))
	}))
	f.reconcile()
	f.status("Ready", "InvalidChild")
	f.Settled()
	f.Exists(before, configMap("after", ""))
	if uid := before.UID; !f.Get(before) || before.UID != uid || before.DeletionTimestamp != nil {
		t.Error("it was pruned")
	}
	f.setSync(desire(func(want *Desired) { want.ConfigMaps.Add(configMap("after", "two")) }))
	f.reconcile()
	f.Gone(before)
}

// The cache may not know yet that the parent is none of the operator's business.
func TestTheLiveParentIsReadBeforeAChildIsDeleted(t *testing.T) {
	f := start(t, &author{sync: desire(desireOne)})
	f.status("Ready", "Ready")
	child := configMap("web", "")
	f.Exists(child)
	var once sync.Once
	f.setSync(func(context.Context, *Request) (*Response, error) {
		once.Do(func() {
			current := site("web")
			f.Update(current, func() { metav1.SetMetaDataAnnotation(&current.ObjectMeta, pauseKey, "true") })
		})
		return &Response{Children: new(Desired)}, nil
	})
	f.Update(f.site, func() { f.site.Spec.Text = "changed" })
	f.status("Suspended", "Paused")
	f.Settled()
	if uid := child.UID; !f.Get(child) || child.UID != uid || child.DeletionTimestamp != nil {
		t.Error("the child of a paused parent was deleted")
	}
}

// The cache has no order. A message that names kept children has one, or the status
// would be written for nothing.
func TestChildrenThatAreKeptAreNamedInOneOrder(t *testing.T) {
	names := []string{"a", "b", "c", "d", "e"}
	f := start(t, &author{sync: desire(func(want *Desired) {
		for _, name := range names {
			want.Pods.Add(pod(name, "web:1"))
		}
	})})
	f.status("Ready", "Progressing")
	f.setSync(desire(func(want *Desired) { want.Pods.Keep(names...) }))
	f.Reconciled(f.site)
	f.Converged(f.site)
	f.status("Ready", "Progressing")
}

// Something between the operator and the API server may say so.
func TestChildOfWhichADeleteIsToldThatItIsNotThereGoes(t *testing.T) {
	f := start(t, &author{sync: desire(desireOne)})
	f.status("Ready", "Ready")
	f.Settled()
	lie := operatortest.Fault{Verb: "delete", Resource: "configmaps", Nth: 1, When: operatortest.Instead, What: operatortest.RefuseNotFound, Once: true}
	f.Inject(lie)
	f.setSync(desire(func(*Desired) {}))
	f.Reconciled(f.site)
	f.Gone(configMap("web", ""))
	if f.Struck(lie) != 1 {
		t.Error("nobody was told so")
	}
	f.Converged(f.site)
}
