package operator_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	"github.com/opgen-dev/opgen/runtime/operator"
)

const refusedName = "Not_A_Name" // which the API server refuses as invalid

// sentSince counts the requests for ConfigMaps of a name since the first n.
func (f *fixture) sentSince(n int, name string) (count int) {
	for _, request := range f.Sent()[n:] {
		if request.Resource == "configmaps" && request.Name == name {
			count++
		}
	}
	return count
}

// A Sync that changes one child in each reconcile, beside a child that is refused.
func TestWritesAreBoundedWhileAChildIsRefused(t *testing.T) {
	var n atomic.Int64
	f := start(t, &author{sync: desire(func(want *Desired) {
		want.ConfigMaps.Add(configMap("web", fmt.Sprint(n.Add(1))))
		want.ConfigMaps.Add(configMap(refusedName, "one"))
	})})
	f.StopClock()
	f.status("Ready", "InvalidChild")
	for range 10 {
		f.Advance(500 * time.Millisecond)
		f.Settled()
	}
	refused := 0
	for _, request := range f.Sent() {
		if request.Verb == "create" && request.Code == http.StatusUnprocessableEntity {
			refused++
		}
	}
	if written := f.sentSince(0, "web"); refused > 3 || written > 6 {
		t.Errorf("%d refused requests and %d of the other child in 5 s, want at most 3 and 6", refused, written)
	}
}

func TestEventsOfASiblingDoNotRetryARefusedChild(t *testing.T) {
	f := start(t, &author{sync: desire(func(want *Desired) {
		want.ConfigMaps.Add(configMap("web", "one"))
		want.ConfigMaps.Add(configMap(refusedName, "one"))
	})})
	f.status("Ready", "InvalidChild")
	f.StopClock()
	child := configMap("web", "")
	f.Get(child)
	for i := range 30 { // the status of a child that crashes, say
		patch := client.RawPatch("application/merge-patch+json", fmt.Appendf(nil, `{"metadata":{"annotations":{"restarts":"%d"}}}`, i))
		if err := f.Client.Patch(t.Context(), child, patch); err != nil {
			t.Fatal(err)
		}
		time.Sleep(50 * time.Millisecond)
	}
	refused := 0
	for _, request := range f.Sent() {
		if request.Verb == "create" && request.Code == http.StatusUnprocessableEntity {
			refused++
		}
	}
	if refused > 3 {
		t.Errorf("the refused child was sent %d times, want at most 3", refused)
	}
	f.Update(child, func() { child.Data["key"] = "theirs" }) // and it delays no repair of the sibling
	f.Eventually("the drift is repaired", func() error { return expectValue(f.Cluster, child, "one") })
}

// A Sync that changes a child in each reconcile, and fails in each.
func TestWritesAreBoundedWhileSyncFails(t *testing.T) {
	var n atomic.Int64
	f := start(t, &author{sync: func(context.Context, *Request) (*Response, error) {
		want := new(Desired)
		want.ConfigMaps.Add(configMap("web", fmt.Sprint(n.Add(1))))
		return &Response{Children: want}, errors.New("the backend is away")
	}})
	f.status("Ready", "SyncFailed")
	f.StopClock()
	f.Advance(4 * time.Second)
	if written := f.sentSince(0, "web"); written > 8 { // 0.2 s, 0.4 s, 0.8 s, …
		t.Errorf("%d writes in 4 s, want at most 8", written)
	}
}

func TestRefusedLabelsOfTheParentAreRetriedRarely(t *testing.T) {
	f := start(t, &author{sync: func(context.Context, *Request) (*Response, error) {
		want := new(Desired)
		want.ConfigMaps.Add(configMap("web", "one"))
		return &Response{Children: want, Labels: map[string]string{"tier": "not a value!"}}, nil
	}})
	f.status("Ready", "SyncFailed")
	f.StopClock()
	child := configMap("web", "")
	for i := range 20 {
		f.Update(child, func() { metav1.SetMetaDataAnnotation(&child.ObjectMeta, "restarts", fmt.Sprint(i)) })
		time.Sleep(50 * time.Millisecond)
	}
	refused := 0
	for _, request := range f.Sent() {
		if request.Resource == "sites" && request.Verb == "patch" {
			refused++
		}
	}
	if refused > 3 {
		t.Errorf("the refused labels were sent %d times, want at most 3", refused)
	}
}

func TestWebhookThatStripsLabelsCostsFewRequests(t *testing.T) {
	f := start(t, &author{sync: desire(func(*Desired) {})})
	f.status("Ready", "Ready")
	f.Mutate(&corev1.ConfigMap{}, `{"metadata":{"labels":null}}`)
	f.setSync(desire(desireOne))
	before := len(f.Sent())
	f.StopClock()
	f.Reconcile(f.site)
	for i := range 40 { // each causes a reconcile
		f.Update(f.site, func() { metav1.SetMetaDataAnnotation(&f.site.ObjectMeta, "try", fmt.Sprint(i)) })
		time.Sleep(50 * time.Millisecond)
	}
	message := f.status("Ready", "FieldConflict").Conditions[0].Message
	if want := "ConfigMap " + f.Namespace + "/web: "; !strings.HasPrefix(message, want) {
		t.Errorf("message is %q, want it to begin with %q", message, want)
	}
	sent := 0
	for _, request := range f.Sent()[before:] {
		if request.Resource == "configmaps" {
			sent++
		}
	}
	if sent > 10 {
		t.Errorf("%d requests for the child in 40 reconciles, want at most 10: %v", sent, f.Sent()[before:])
	}
}

func TestRollOutOfPodsDelaysNoStatus(t *testing.T) {
	const pods = 20
	rolls := func(image string) Function {
		return func(_ context.Context, req *Request) (*Response, error) {
			want, updated := new(Desired), 0
			for i := range pods {
				name := fmt.Sprintf("web-%02d", i)
				want.Pods.Add(pod(name, image), operator.RollingRecreate)
				if known, ok := req.Children.Pods.Get(name); ok && known.Spec.Containers[0].Image == image {
					updated++
				}
			}
			return &Response{Children: want, Status: &testapi.Status{Phase: fmt.Sprintf("%d of %s", updated, image)}}, nil
		}
	}
	f := start(t, &author{sync: rolls("web:1")})
	playKubelet(t, f)
	expect := func(phase string) {
		t.Helper()
		f.Eventually("the status says "+phase, func() error {
			if f.Get(f.site); f.site.Status.Phase != phase {
				return fmt.Errorf("it says %s", f.site.Status.Phase)
			}
			return nil
		})
	}
	expect("20 of web:1")
	f.status("Ready", "Ready")
	f.setSync(rolls("web:2"))
	f.Reconcile(f.site)
	expect("20 of web:2")
	f.status("Ready", "Ready")
	if events := f.events(); len(events) > 0 {
		t.Errorf("events are %q", events)
	}
}

func TestProgressOfARollIsNoHotLoop(t *testing.T) {
	const children = 60 // more answers than a hot loop has at once
	rolls := func(value string) Function {
		return func(_ context.Context, req *Request) (*Response, error) {
			want, updated := new(Desired), 0
			for i := range children {
				name := fmt.Sprintf("web-%02d", i)
				want.ConfigMaps.Add(configMap(name, value), operator.RollingInPlace)
				if known, ok := req.Children.ConfigMaps.Get(name); ok && known.Data["key"] == value {
					updated++
				}
			}
			return &Response{Children: want, Status: &testapi.Status{Phase: fmt.Sprintf("%d of %s", updated, value)}}, nil
		}
	}
	f := start(t, &author{sync: rolls("one")})
	f.status("Ready", "Ready")
	f.setSync(rolls("two"))
	f.Reconcile(f.site)
	f.Eventually("the status has followed", func() error {
		if f.Get(f.site); f.site.Status.Phase != "60 of two" {
			return fmt.Errorf("it says %s", f.site.Status.Phase)
		}
		return nil
	})
	if events := f.events(); len(events) > 0 {
		t.Errorf("events are %q", events)
	}
}

// playKubelet has every Pod of the fixture's namespace run, until the test ends.
func playKubelet(t *testing.T, f *fixture) {
	t.Helper()
	ended := make(chan struct{})
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		defer close(ended)
		for ctx.Err() == nil {
			var list corev1.PodList
			_ = f.Client.List(ctx, &list, client.InNamespace(f.Namespace))
			for i := range list.Items {
				if list.Items[i].Status.Phase != corev1.PodRunning {
					list.Items[i].Status.Phase = corev1.PodRunning
					list.Items[i].Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
					_ = f.Client.Status().Update(ctx, &list.Items[i]) // again if it fails
				}
			}
			time.Sleep(20 * time.Millisecond)
		}
	}()
	t.Cleanup(func() { stop(); <-ended })
}

// A desired state that comes and goes, although the spec stays the same.
func TestReturnsToADesiredStateAreMetered(t *testing.T) {
	f := start(t, &author{sync: desire(desireOne)})
	f.status("Ready", "Ready")
	f.StopClock()
	child := configMap("web", "")
	value := func(value string) Function {
		return desire(func(want *Desired) { want.ConfigMaps.Add(configMap("web", value)) })
	}
	for range 10 {
		for _, desired := range []string{"two", "one"} {
			f.setSync(value(desired))
			f.Reconcile(f.site)
		}
	}
	writes := 0
	for _, request := range f.Sent() {
		if request.Resource == "configmaps" && request.Verb == "patch" {
			writes++
		}
	}
	if writes > 4 { // each state once, and two returns
		t.Errorf("%d writes of two desired states that take turns, want at most 4", writes)
	}
	f.Get(child)
	other := map[string]string{"one": "two", "two": "one"}[child.Data["key"]]
	f.setSync(value(other))
	f.Reconcile(f.site)
	f.status("Ready", "HotLoop")
	f.Update(f.site, func() { f.site.Spec.Text = "a change of the spec" })
	f.Eventually("the child follows the spec", func() error { return expectValue(f.Cluster, child, other) })
}
