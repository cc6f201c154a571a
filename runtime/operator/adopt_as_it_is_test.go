package operator_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/opgen-dev/opgen/runtime/operator"
)

// A Deployment of kubectl becomes a child without a restart, by one write and the one of the status. It
// stays as it is through restarts of the operator.
func TestDeploymentIsAdoptedAsItIs(t *testing.T) {
	t.Parallel()
	for _, strategy := range []operator.UpdateStrategy{operator.InPlace, operator.RollingInPlace, operator.Recreate, operator.RollingRecreate, operator.OnDelete, operator.CreateOnly} {
		t.Run(string(strategy), func(t *testing.T) {
			w := startWorkloads(t, nil, desireNothing)
			w.foreignDeployment()
			seen, before := w.watchRolls(), w.Settled()
			w.desire(desireAsItIs("web:1", 2, strategy))
			w.Settled()
			w.sent(before, []string{"create deployments web: 409", "get deployments web: 200", "patch deployments web: 200", "patch sites/status web: 200"})
			before = w.Settled()
			w.converged()
			w.Restart()
			w.converged()
			w.sent(before, nil)
			if strategy != operator.CreateOnly {
				w.keepsTheirs(3)
			}
			w.Truthful(w.site)
			if rolls := seen(); !slices.Equal(rolls, []string{"3 of theirs:1"}) {
				t.Errorf("the watch shows %v", rolls)
			}
		})
	}
}

// A change reaches the field that is desired otherwise, and no other. From then on that field is ours.
func TestChangesOfAnAdoptedDeployment(t *testing.T) {
	t.Parallel()
	for _, strategy := range []operator.UpdateStrategy{operator.InPlace, operator.RollingInPlace} {
		t.Run(string(strategy), func(t *testing.T) {
			w := startWorkloads(t, nil, desireNothing)
			w.foreignDeployment()
			w.desire(desireAsItIs("web:1", 2, strategy))
			before := w.Settled()
			w.desire(desireAsItIs("web:1", 5, strategy))
			w.Settled()
			w.sent(before, []string{"patch deployments web: 200", "patch sites/status web: 200"})
			w.converged()
			w.keepsTheirs(5)
			w.desire(desireAsItIs("web:1", 2, strategy)) // a value of the record, which has left it
			w.Restart()
			w.converged()
			w.keepsTheirs(2)
			w.scale(9)
			w.Eventually("drift in the field that was applied is repaired", func() error {
				if got := w.replicas(); got != 2 {
					return fmt.Errorf("%d replicas", got)
				}
				return nil
			})
			seen := w.watchRolls()
			w.desire(desireAsItIs("web:2", 2, strategy))
			w.converged()
			w.Get(w.deployment)
			template := w.deployment.Spec.Template.Spec
			if template.Containers[0].Image != "web:2" || template.NodeSelector["disk"] != "ssd" || len(template.Containers[0].Env) != 1 {
				t.Errorf("its template is %+v", template)
			}
			if rolls := seen(); len(rolls) == 0 || !strings.HasSuffix(rolls[len(rolls)-1], "2 of web:2") {
				t.Errorf("the watch shows %v", rolls)
			}
			w.Truthful(w.site)
		})
	}
}

// A strategy that recreates makes the new Deployment from all that is desired.
func TestChangeRecreatesAnAdoptedDeployment(t *testing.T) {
	w := startWorkloads(t, nil, desireNothing)
	w.foreignDeployment()
	w.desire(desireAsItIs("web:1", 2, operator.Recreate))
	w.converged()
	w.Get(w.deployment)
	uid := w.deployment.UID
	w.desire(desireAsItIs("web:1", 5, operator.Recreate))
	w.converged()
	if w.Get(w.deployment); w.deployment.UID == uid || rollOf(w.deployment) != "5 of web:1" || w.deployment.Annotations[recordKey] != "" {
		t.Errorf("it is %s with %v", rollOf(w.deployment), w.deployment.Annotations)
	}
}

// A change waits until somebody deletes the Deployment, and can be taken back before.
func TestChangeOfAnAdoptedDeploymentOnDelete(t *testing.T) {
	w := startWorkloads(t, nil, desireNothing)
	w.foreignDeployment()
	w.desire(desireAsItIs("web:1", 2, operator.OnDelete))
	w.converged()
	other := desireAsItIs("web:2", 5, operator.OnDelete)
	w.desires.Store(&other)
	w.touch()
	w.shows(metav1.ConditionTrue, "Outdated")
	w.converged()
	w.keepsTheirs(3)
	w.desire(desireAsItIs("web:1", 2, operator.OnDelete))
	w.converged()
	w.keepsTheirs(3)
	w.desires.Store(&other)
	w.touch()
	w.shows(metav1.ConditionTrue, "Outdated")
	w.Delete(w.deployment)
	w.ready()
	w.converged()
	if w.Get(w.deployment); rollOf(w.deployment) != "5 of web:2" {
		t.Errorf("it is %s", rollOf(w.deployment))
	}
}
