package operator_test

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/opgen-dev/opgen/runtime/internal/apply"
	"github.com/opgen-dev/opgen/runtime/internal/declared"
	"github.com/opgen-dev/opgen/runtime/operator"
)

// siteManager is the field manager of the operator of these tests.
const siteManager = "opgen/site.test.opgen.dev"

// An HPA takes over a Deployment of 7 replicas and gives it back, with desired replicas left out or
// >= 7: never fewer than 7 meanwhile.
func TestAutoscalerTakesOverAndGivesBack(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		options []operator.ChildOption
		before  func(w *workloads) // what happens while the operator sets the replicas
		reason  string             // of Ready after the replicas are given back; empty: Ready
		after   int32              // the replicas then; 0: 7
		cost    []string           // the requests of the hand-over without the status
	}{
		"created":                       {cost: []string{"get deployments web: 200", "patch deployments web: 200", "patch deployments web: 200"}},
		"applied":                       {before: dropLabel, cost: []string{"get deployments web: 200", "patch deployments web: 200", "patch deployments web: 200"}},
		"co-owned":                      {before: shareReplicas},
		"restarted":                     {before: (*workloads).Restart},
		"in place, one after the other": {options: []operator.ChildOption{operator.RollingInPlace}},
		"recreated":                     {options: []operator.ChildOption{operator.Recreate}},
		"recreated one after the other": {options: []operator.ChildOption{operator.RollingRecreate}},
		"changed on delete":             {options: []operator.ChildOption{operator.OnDelete}, reason: "Outdated", after: 8},
	} {
		t.Run(name, func(t *testing.T) {
			w := startWorkloads(t, nil, desireDeployment("web:1", 7, test.options...))
			if test.before != nil {
				test.before(w)
			}
			w.converged()
			w.Get(w.deployment)
			uid := w.deployment.UID
			before, seen := w.Settled(), w.watchReplicas()

			w.desire(desireDeployment("web:1", 0, test.options...))
			w.Settled()
			if test.cost != nil {
				w.sent(before, append(test.cost, "patch sites/status web: 200"))
			}
			w.handedOver()
			if got := w.replicas(); got != 7 || w.deployment.UID != uid {
				t.Errorf("after the hand-over: %d replicas, recreated: %v", got, w.deployment.UID != uid)
			}
			w.converged()
			before = w.Settled()
			w.scale(9)
			w.scale(8)
			w.converged()
			w.sent(before, nil)
			if got := w.replicas(); got != 8 || w.deployment.UID != uid {
				t.Errorf("8 of the autoscaler: %d replicas, recreated: %v", got, w.deployment.UID != uid)
			}

			back := desireDeployment("web:1", 7, test.options...)
			w.desires.Store(&back)
			w.touch()
			w.shows(metav1.ConditionTrue, cmp.Or(test.reason, "Ready"))
			w.converged()
			if got := w.replicas(); got != max(test.after, 7) {
				t.Errorf("%d replicas after they were given back", got)
			}
			if test.after == 0 && !slices.Contains(w.owners(w.deployment, "spec", "replicas"), siteManager) {
				t.Error("the operator does not own the replicas that it sets")
			}
			for _, replicas := range seen() {
				if replicas < 7 {
					t.Errorf("%d replicas meanwhile", replicas)
				}
			}
		})
	}
}

// dropLabel has the operator drop a label of the Deployment, so that it applies from then on.
func dropLabel(w *workloads) {
	w.t.Helper()
	w.desire(func(_ *workloadRequest, want *workloadDesired) {
		deployment := deploymentWith("web:1", 7)
		deployment.Labels = map[string]string{"soon": "gone"}
		want.Deployments.Add(deployment)
	})
	w.desire(desireDeployment("web:1", 7))
}

// shareReplicas has the operator apply the number of replicas that the autoscaler has set, so that
// both own them.
func shareReplicas(w *workloads) {
	w.t.Helper()
	dropLabel(w)
	w.Settled()
	w.Stop()
	w.scale(8)
	w.scale(7)
	w.Restart()
	w.Settled()
	if owners := w.owners(w.deployment, "spec", "replicas"); !slices.Equal(owners, []string{autoscaler, siteManager}) {
		w.t.Fatalf("the replicas are owned by %v", owners)
	}
}

// Other changes of the child go on while a field is handed over, and leave it alone.
func TestChangesBesideAHandedOverField(t *testing.T) {
	w := startWorkloads(t, nil, desireDeployment("web:1", 7))
	w.desire(desireDeployment("web:2", 0)) // with the hand-over in the same answer
	w.scale(9)
	for _, image := range []string{"web:3", "web:4"} {
		w.desire(desireDeployment(image, 0))
		if got := w.replicas(); got != 9 || w.deployment.Spec.Template.Spec.Containers[0].Image != image {
			t.Errorf("%d replicas of %v in place of 9 of %s", got, w.deployment.Spec.Template.Spec.Containers, image)
		}
	}
	w.handedOver()
	w.Restart()
	w.converged()
	w.Update(w.deployment, func() { w.deployment.Spec.Template.Spec.Containers[0].Image = "theirs" })
	w.Eventually("drift beside the field is repaired", func() error {
		if w.Get(w.deployment); w.deployment.Spec.Template.Spec.Containers[0].Image != "web:4" {
			return errors.New("it is not")
		}
		return nil
	})
	if got := w.replicas(); got != 9 {
		t.Errorf("%d replicas after a repair", got)
	}
}

// An operator that starts with a Sync that leaves the field out gives it up.
func TestHandOverWhileTheOperatorWasDown(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(w *workloads){
		"nothing else happened":     func(*workloads) {},
		"the autoscaler has scaled": func(w *workloads) { w.scale(7) },
		"managedFields were wiped": func(w *workloads) {
			w.Update(w.deployment, func() { w.deployment.ManagedFields = []metav1.ManagedFieldsEntry{{}} })
		},
	} {
		for kind, before := range map[string]func(w *workloads){"created": func(*workloads) {}, "applied": dropLabel} {
			t.Run(kind+", "+name, func(t *testing.T) {
				w := startWorkloads(t, nil, desireDeployment("web:1", 7))
				before(w)
				w.Settled()
				seen := w.watchReplicas()
				w.Stop()
				change(w)
				over := desireDeployment("web:2", 0)
				w.desires.Store(&over)
				w.Restart()
				w.touch()
				w.ready()
				w.converged()
				w.handedOver()
				w.desire(desireDeployment("web:3", 0))
				for _, replicas := range append(seen(), w.replicas()) {
					if replicas != 7 {
						t.Errorf("%d replicas meanwhile", replicas)
					}
				}
			})
		}
	}
}

// A write by somebody else between the operator's read and its write ends in a retry.
func TestHandOverOfAChildThatChangesMeanwhile(t *testing.T) {
	w := startWorkloads(t, nil, func(*workloadRequest, *workloadDesired) {})
	desired := func(replicas int32) apply.Desired {
		content, err := apply.Canonical(deploymentWith("web:1", replicas))
		if err != nil {
			t.Fatal(err)
		}
		over, err := apply.ParseHandOver([]string{".spec.replicas"})
		if err != nil {
			t.Fatal(err)
		}
		d, err := apply.NewDesired(apply.Desired{
			Kind: appsv1.SchemeGroupVersion.WithKind("Deployment"), Name: types.NamespacedName{Namespace: w.Namespace, Name: "web"},
			Policies: declared.DefaultPolicies, HandOver: over, HashKey: "test.opgen.dev/desired-hash",
		}, content)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	var meanwhile func()
	writer := interceptor.NewClient(w.watcher(), interceptor.Funcs{
		Patch: func(ctx context.Context, c client.WithWatch, object client.Object, patch client.Patch, options ...client.PatchOption) error {
			if do := meanwhile; do != nil {
				meanwhile = nil
				do()
			}
			return c.Patch(ctx, object, patch, options...)
		},
	})
	applier := apply.Applier{Client: writer, LiveReader: w.Client, Manager: siteManager, New: func() client.Object { return &appsv1.Deployment{} }}
	state, now := new(apply.AppliedState), time.Now()
	if _, err := applier.ApplyChild(t.Context(), now, state, desired(7), nil); err != nil {
		t.Fatal(err)
	}
	for _, attack := range []func(){
		func() {
			patch := client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"annotations":{"someone":"else"}}}`))
			if err := w.Client.Patch(t.Context(), w.deployment.DeepCopy(), patch); err != nil {
				t.Error(err)
			}
		},
		func() { w.scale(9) },
	} {
		w.Get(w.deployment)
		meanwhile = attack
		if outcome, err := applier.ApplyChild(t.Context(), now, state, desired(0), w.deployment.DeepCopy()); !errors.As(err, new(apply.ErrStale)) {
			t.Errorf("outcome %s, error %v in place of another look", outcome.Action, err)
		}
	}
	w.Get(w.deployment)
	outcome, err := applier.ApplyChild(t.Context(), now, state, desired(0), w.deployment)
	if err != nil || outcome.Action != apply.Updated {
		t.Errorf("outcome %s, error %v", outcome.Action, err)
	}
	if got := w.replicas(); got != 9 || slices.Contains(w.owners(w.deployment, "spec", "replicas"), siteManager) {
		t.Errorf("%d replicas, owned by %v", got, w.owners(w.deployment, "spec", "replicas"))
	}
	// A cache that does not show the hand-over yet costs no other write of managedFields.
	w.Get(w.deployment)
	meanwhile = func() { t.Error("a write") }
	if outcome, err := applier.ApplyChild(t.Context(), now, state, desired(0), outcome.Object); err != nil || outcome.Action != apply.Unchanged {
		t.Errorf("outcome %s, error %v", outcome.Action, err)
	}
}
