package operator_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	"github.com/opgen-dev/opgen/runtime/operator"
)

// ended reports whether a Pod has ended for good.
func ended(req *customRequest, name string) bool {
	observed, _ := req.Children.Pods.Get(name)
	return observed != nil && observed.Status.Phase == corev1.PodFailed
}

func TestRecreateIf(t *testing.T) {
	c := startCustom(t, customDesire(func(req *customRequest, want *Desired) {
		first, second := pod("first", "web"), pod("second", "web")
		want.Pods.Add(first, operator.RollingRecreate, operator.RecreateIf(ended(req, "first")))
		want.Pods.Add(second, operator.CreateOnly, operator.After(first), operator.RecreateIf(ended(req, "second")))
	}), nil)
	site, first, second := c.site("web"), named(&corev1.Pod{}, "first"), named(&corev1.Pod{}, "second")
	c.MakeReady(first, second)
	c.says(site, allReady)
	c.Settled()

	end := func(pod *corev1.Pod) {
		c.UpdateStatus(pod, func() {
			pod.Status.Phase = corev1.PodFailed
			pod.Status.Conditions = nil
		})
	}
	c.Stop()
	end(first)
	end(second)
	c.Restart()
	c.Gone(first)
	c.Exists(first)
	c.says(site, "Pod first is not ready; Pod second waits for Pod "+c.Namespace+"/first")
	c.Settled()
	failed := second.UID
	if c.Get(second); second.UID != failed {
		t.Error("a child that waits for another was replaced")
	}
	c.MakeReady(first)
	c.Eventually("the second Pod is another", func() error {
		if !c.Get(second) || second.UID == failed {
			return errors.New("it is not")
		}
		return nil
	})
	c.MakeReady(second)
	c.says(site, allReady)
	c.Converged(site)
}

// A node that evicts each Pod at once, say.
func TestChildThatFailsEachTimeIsRecreatedLessAndLessOften(t *testing.T) {
	f := start(t, &author{sync: func(_ context.Context, req *Request) (*Response, error) {
		_, exists := req.Children.Pods.Get("web")
		want := new(Desired)
		want.Pods.Add(pod("web", "web:1"), operator.RecreateIf(exists))
		return &Response{Children: want, Status: &testapi.Status{Phase: "Synced"}}, nil
	}})
	f.StopClock()
	f.Eventually("Ready says that it is put off", func() error {
		f.Get(f.site)
		condition := meta.FindStatusCondition(f.site.Status.Conditions, "Ready")
		if condition == nil || condition.Message != "Pod web is not ready (RecreateIf keeps recreating it, less and less often until that stops)" {
			return fmt.Errorf("it is %+v", condition)
		}
		return nil
	})
	deleted := func() (count int) {
		for _, request := range f.Sent() {
			if request.Verb == "delete" && request.Resource == "pods" && request.Code == http.StatusOK {
				count++
			}
		}
		return count
	}
	f.Advance(3 * time.Second)
	before := deleted()
	if before > 3 {
		t.Errorf("the Pod was recreated %d times at once, want at most 3", before)
	}
	f.Advance(time.Minute)
	if after := deleted(); after <= before || after > before+3 {
		t.Errorf("the Pod was recreated %d times in the next minute, want 1 to 3", after-before)
	}
	f.setSync(onePod("web:2")) // what Sync newly desires does not wait
	f.reconcile()
	f.uid("web:2")
}

// A kubelet that writes to each Pod while it is deleted makes no deletion free.
func TestConflictsOfDeletionsDoNotMakeRecreationsFree(t *testing.T) {
	var f *fixture
	var writes atomic.Int64
	f = start(t, &author{sync: func(ctx context.Context, req *Request) (*Response, error) {
		observed, exists := req.Children.Pods.Get("web")
		want := new(Desired)
		want.Pods.Add(pod("web", "web:1"), operator.RecreateIf(exists))
		if exists && observed.Labels["seen"] == "" { // so that the first deletion meets a conflict
			seen := client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"labels":{"seen":"yes"}}}`))
			if err := f.Client.Patch(ctx, observed, seen); err != nil {
				return nil, err // also when the test ends meanwhile
			}
			writes.Add(1)
		}
		return &Response{Children: want}, nil
	}})
	f.StopClock()
	f.Eventually("Ready says that it is put off", func() error {
		f.Get(f.site)
		condition := meta.FindStatusCondition(f.site.Status.Conditions, "Ready")
		if condition == nil || condition.Message != "Pod web is not ready (RecreateIf keeps recreating it, less and less often until that stops)" {
			return fmt.Errorf("it is %+v", condition)
		}
		return nil
	})
	f.Advance(3 * time.Second)
	if count := writes.Load(); count < 2 || count > 4 {
		t.Errorf("the Pod was recreated %d times at once", count)
	}
}
