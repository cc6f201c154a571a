package operator_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/apply"
	"github.com/opgen-dev/opgen/runtime/internal/declared"
	"github.com/opgen-dev/opgen/runtime/internal/managedfields"
	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

func TestChangeOfSomeoneElseReplacesNoChild(t *testing.T) {
	t.Parallel()
	cluster := operatortest.Start(t, operatortest.Config{
		Controllers: func(operator.Manager) ([]operator.Controller, error) { return nil, nil },
	})
	desire := func(policy corev1.RestartPolicy) apply.Desired {
		t.Helper()
		content, err := apply.Canonical(&corev1.Pod{Spec: corev1.PodSpec{RestartPolicy: policy, Containers: []corev1.Container{{Name: "main", Image: "web:1"}}}})
		if err != nil {
			t.Fatal(err)
		}
		desired, err := apply.NewDesired(apply.Desired{
			Kind: corev1.SchemeGroupVersion.WithKind("Pod"), Name: types.NamespacedName{Namespace: cluster.Namespace, Name: "web"},
			Policies: declared.Policies{Update: declared.Recreate}, HashKey: "test.opgen.dev/desired-hash",
		}, content)
		if err != nil {
			t.Fatal(err)
		}
		return desired
	}
	applier := apply.Applier{Client: cluster.Client, LiveReader: cluster.Client, Manager: managedfields.FieldManager("test", "opgen.dev"), New: func() client.Object { return &corev1.Pod{} }}
	state := new(apply.AppliedState)
	created, err := applier.ApplyChild(t.Context(), time.Now(), state, desire(""), nil)
	if err != nil {
		t.Fatal(err)
	}

	// Someone changes the Pod, and the cache has yet to see it when a new
	// version of the operator writes out what was the default before.
	current := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "web"}}
	cluster.Update(current, func() { current.Spec.ActiveDeadlineSeconds = ptr.To[int64](3600) })
	if outcome, err := applier.ApplyChild(t.Context(), time.Now(), state, desire(corev1.RestartPolicyAlways), created.Object); !errors.As(err, new(apply.ErrStale)) {
		t.Errorf("outcome %s, error %v; want a call for another look", outcome.Action, err)
	}
	outcome, err := applier.ApplyChild(t.Context(), time.Now(), state, desire(corev1.RestartPolicyAlways), current)
	if err != nil || outcome.Action != apply.Updated {
		t.Errorf("outcome %s, error %v; want an update in place", outcome.Action, err)
	}
}

// The cache of children holds only those that are labelled, so it may never see
// what the operator wrote.
func TestChildThatLosesItsLabelAtOnceGetsItBack(t *testing.T) {
	var c *custom
	var once sync.Once
	started := make(chan struct{})
	strip := func(child client.Object) (bool, error) {
		var err error
		once.Do(func() {
			<-started
			err = c.Client.Patch(context.Background(), child.DeepCopyObject().(client.Object), client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"labels":null}}`)))
			time.Sleep(500 * time.Millisecond) // the cache sees it come and go
		})
		return true, err
	}
	c = startCustom(t, customDesire(func(_ *customRequest, want *Desired) { desireOne(want) }), func(d *definition) {
		d.Kinds = func(observed *Children, desired *Desired) []operator.ChildKind {
			described := kinds(observed, desired)
			described[0].ReadyWhen = strip
			return described
		}
	})
	close(started)
	c.site("web")
	child := configMap("web", "")
	c.Eventually("the child has its label again", func() error {
		if c.Get(child); child.Labels[c.group+"/site"] == "" {
			return errors.New("it has not")
		}
		return nil
	})
}

func TestAChildThatIsTakenAwayMeanwhileIsNotDeleted(t *testing.T) {
	var c *custom
	c = startCustom(t, customDesire(func(req *customRequest, want *Desired) {
		if req.Parent.Spec.Text == "hello" {
			desireOne(want)
			return
		}
		if child, ok := req.Children.ConfigMaps.Get("web"); ok { // someone keeps it for himself, unseen by this reconcile
			patch := client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"labels":null,"ownerReferences":null}}`))
			if err := c.Client.Patch(context.Background(), child, patch); err != nil {
				t.Error(err)
			}
		}
	}), nil)
	site, child := c.site("web"), configMap("web", "")
	c.says(site, allReady)
	c.touch(site, "none")
	c.Eventually("it is orphaned", func() error {
		if !c.Get(child) {
			t.Fatal("it was deleted")
		}
		if len(child.OwnerReferences) > 0 {
			return errors.New("it is the parent's")
		}
		return nil
	})
	c.Settled()
	c.Exists(child)
}
