package operator_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

// The operator ends at the write that adopts, its answer is lost, or somebody writes in between.
func TestAdoptionThatIsInterrupted(t *testing.T) {
	t.Parallel()
	for _, fault := range []operatortest.Fault{
		{Verb: "patch", Resource: "deployments", Nth: 1, When: operatortest.Before, What: operatortest.Crash},
		{Verb: "patch", Resource: "deployments", Nth: 1, When: operatortest.After, What: operatortest.Crash},
		{Verb: "patch", Resource: "deployments", Nth: 1, When: operatortest.After, What: operatortest.TimeTravel},
		{Verb: "patch", Resource: "deployments", Nth: 1, When: operatortest.After, What: operatortest.Lose},
		{Verb: "patch", Resource: "deployments", Nth: 1, When: operatortest.Instead, What: operatortest.RefuseConflict, Once: true},
		{Verb: "create", Resource: "deployments", Nth: 1, When: operatortest.After, What: operatortest.Crash},
	} {
		t.Run(fault.String(), func(t *testing.T) {
			w := startWorkloads(t, nil, desireNothing)
			w.foreignDeployment()
			seen := w.watchRolls()
			w.Inject(fault)
			w.desire(desireAsItIs("web:1", 2))
			w.converged()
			if w.Struck(fault) == 0 {
				t.Error("nothing went wrong")
			}
			w.keepsTheirs(3)
			if rolls := seen(); !slices.Equal(rolls, []string{"3 of theirs:1"}) {
				t.Errorf("the watch shows %v", rolls)
			}
		})
	}
}

// What the operator itself has set for an earlier parent stays as well.
func TestFormerChildIsAdoptedAsItIs(t *testing.T) {
	t.Parallel()
	for name, before := range map[string]func(w *workloads){"created": func(*workloads) {}, "applied": dropLabel} {
		t.Run(name, func(t *testing.T) {
			orphaned := []operator.ChildOption{operator.WhenDropped(operator.Orphan)}
			w := startWorkloads(t, nil, desireAsItIs("theirs:1", 3, orphaned...))
			before(w)
			w.desire(desireAsItIs("theirs:1", 3, orphaned...))
			w.desire(desireNothing)
			w.Settled()
			if w.Get(w.deployment); len(w.deployment.OwnerReferences) > 0 {
				t.Fatalf("it belongs to %v", w.deployment.OwnerReferences)
			}
			seen := w.watchRolls()
			w.desire(desireAsItIs("web:1", 2))
			w.converged()
			w.desire(desireAsItIs("web:1", 5))
			w.converged()
			if w.Get(w.deployment); w.deployment.Spec.Template.Spec.Containers[0].Image != "theirs:1" || *w.deployment.Spec.Replicas != 5 {
				t.Errorf("it is %s", rollOf(w.deployment))
			}
			for _, roll := range seen() {
				if !strings.HasSuffix(roll, "3 of theirs:1") && !strings.HasSuffix(roll, "5 of theirs:1") {
					t.Errorf("the watch shows %s", roll)
				}
			}
		})
	}
}

// A Deployment that is orphaned, disconnected or deleted is not the one that was adopted.
func TestAdoptedDeploymentThatGoes(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		leave  func(w *workloads)
		option operator.ChildOption
		marks  bool // it keeps the record, for the time when it is taken back
	}{
		"it is dropped": {func(w *workloads) { w.desire(desireNothing) }, operator.WhenDropped(operator.Orphan), false},
		"its parent is disconnected": {func(w *workloads) {
			w.Update(w.site, func() { metav1.SetMetaDataAnnotation(&w.site.ObjectMeta, "test.opgen.dev/disconnect", "true") })
			w.Settled()
		}, operator.WhenDropped(operator.Delete), true},
	} {
		t.Run(name, func(t *testing.T) {
			w := startWorkloads(t, nil, desireNothing)
			w.foreignDeployment()
			w.desire(desireAsItIs("web:1", 2, test.option))
			w.converged()
			test.leave(w)
			w.Eventually("it has no owner", func() error {
				if w.Get(w.deployment); len(w.deployment.OwnerReferences) > 0 || w.deployment.Labels["test.opgen.dev/site"] != "" {
					return errors.New("it has one")
				}
				return nil
			})
			if _, isMarked := w.deployment.Annotations[recordKey]; isMarked != test.marks {
				t.Errorf("its annotations are %v", w.deployment.Annotations)
			}
			w.Update(w.site, func() { delete(w.site.Annotations, "test.opgen.dev/disconnect") })
			w.desire(desireAsItIs("web:1", 2, test.option))
			w.converged()
			w.keepsTheirs(3)
			w.desire(desireNothing)
			w.Settled()
		})
	}
	t.Run("its parent is deleted", func(t *testing.T) {
		w := startWorkloads(t, nil, desireNothing)
		w.foreignDeployment()
		w.desire(desireAsItIs("web:1", 2))
		w.converged()
		w.Delete(w.site)
		w.Gone(w.deployment)
	})
	t.Run("somebody puts another in its place", func(t *testing.T) {
		w := startWorkloads(t, nil, desireNothing)
		w.foreignDeployment()
		w.desire(desireAsItIs("web:1", 2))
		w.converged()
		w.Stop()
		w.Delete(w.deployment)
		w.Gone(w.deployment)
		w.foreignDeployment()
		w.Restart()
		w.Eventually("it is adopted", func() error {
			if w.Get(w.deployment); len(w.deployment.OwnerReferences) == 0 {
				return errors.New("it is not")
			}
			return nil
		})
		w.converged()
		w.keepsTheirs(3)
	})
}

// Another release, or another answer of Sync, does not adopt as it is any more.
func TestAdoptedDeploymentIsAppliedWithoutTheOption(t *testing.T) {
	t.Parallel()
	for name, restart := range map[string]func(w *workloads){"at once": func(*workloads) {}, "after a restart": (*workloads).Restart} {
		t.Run(name, func(t *testing.T) {
			w := startWorkloads(t, nil, desireNothing)
			w.foreignDeployment()
			w.desire(desireAsItIs("web:1", 2))
			w.converged()
			plain := desirePlain("web:1", 2)
			w.desires.Store(&plain)
			restart(w)
			w.touch()
			w.Eventually("it is applied", func() error {
				w.Get(w.deployment)
				if _, isMarked := w.deployment.Annotations[recordKey]; isMarked || w.deployment.Spec.Template.Spec.Containers[0].Image != "web:1" {
					return fmt.Errorf("it is %s with %v", rollOf(w.deployment), w.deployment.Annotations)
				}
				return nil
			})
			w.converged()
			w.desire(desireAsItIs("web:1", 2)) // and it was adopted before
			w.converged()
		})
	}
}

func TestSecretIsNotAdoptedAsItIs(t *testing.T) {
	f := start(t, &author{sync: desire(func(want *Desired) {
		want.Secrets.Add(named(&corev1.Secret{}, "auth"), operator.AdoptAsItIs)
	})})
	if message := f.status("Ready", "InvalidChild").Conditions[0].Message; !strings.Contains(message, "use IfUnowned") {
		t.Errorf("message is %q", message)
	}
	f.setSync(desire(func(want *Desired) {
		want.Secrets.Add(named(&corev1.Secret{}, "auth"), operator.AdoptAsItIs, operator.CreateOnly)
	}))
	f.reconcile()
	f.status("Ready", "Ready")
}
