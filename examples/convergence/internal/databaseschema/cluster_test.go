package databaseschema

import (
	"fmt"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"

	convergencev1 "example.com/convergence/api/v1"
)

func testConfig() operatortest.Config {
	return operatortest.Config{
		Controllers: func(mgr operator.Manager) ([]operator.Controller, error) {
			controller, err := New(mgr)
			return []operator.Controller{controller}, err
		},
		CRDs:    []string{"../../deploy/zz_generated.crd.yaml"},
		Roles:   "../../deploy/zz_generated.rbac.yaml",
		Schemes: runtime.SchemeBuilder{convergencev1.AddToScheme},
	}
}

// database is a DatabaseSchema on a real API server, without which its test skips: see make test-e2e.
type database struct {
	*operatortest.Cluster
	schema *convergencev1.DatabaseSchema
}

func start(t *testing.T, desired int32) database {
	t.Parallel()
	d := database{Cluster: operatortest.Start(t, testConfig()), schema: newSchema(0, desired)}
	d.Create(d.schema)
	return d
}

// wants changes the desired version.
func (d database) wants(version int32) {
	d.Update(d.schema, func() { d.schema.Spec.Version = version })
}

// goes has the step from one version to another succeed, and waits until the status says so and the
// Job is gone.
func (d database) goes(from, to int32) {
	job := step(from, to)
	d.Exists(job)
	d.MakeReady(job)
	d.is(to)
	d.Gone(job)
}

// is waits until the database has a version.
func (d database) is(version int32) {
	d.Eventually(fmt.Sprintf("the database has version %d", version), func() error {
		if d.Get(d.schema); d.schema.Status.Version != version {
			return fmt.Errorf("it has %d", d.schema.Status.Version)
		}
		return nil
	})
}

// converged requires that nothing is left to do, that the status says so, and these steps in all.
func (d database) converged(t *testing.T, steps ...string) {
	t.Helper()
	d.Converged(d.schema)
	d.Truthful(d.schema)
	if d.Get(d.schema); d.schema.Status.StepsLeft != 0 {
		t.Errorf("%d steps are left", d.schema.Status.StepsLeft)
	}
	var created []string
	for _, request := range d.Writes() {
		if request.Verb == "create" && request.Resource == "jobs" {
			created = append(created, request.Name)
		}
	}
	if !slices.Equal(created, steps) {
		t.Errorf("the steps were %v, want %v", created, steps)
	}
}

func TestTheDesiredVersionIsReachedStepByStep(t *testing.T) {
	d := start(t, 2)
	d.Exists(step(0, 1))
	d.Converged(d.schema) // as long as the step runs
	d.goes(0, 1)
	d.goes(1, 2)
	d.converged(t, "shop-0-to-1", "shop-1-to-2")
	d.Delete(d.schema)
	d.Gone(d.schema)
}

func TestAnotherVersionIsDesiredBeforeTheFirstIsReached(t *testing.T) {
	d := start(t, 5)
	d.goes(0, 1)
	running := step(1, 2)
	d.Exists(running)
	d.wants(0)
	d.Converged(d.schema)
	again := step(1, 2)
	if d.Exists(again); again.UID != running.UID {
		t.Error("the step that had begun was begun again")
	}
	d.goes(1, 2)
	d.goes(2, 1)
	d.goes(1, 0)
	d.converged(t, "shop-0-to-1", "shop-1-to-2", "shop-2-to-1", "shop-1-to-0")
}

func TestAStepEndsWhileTheOperatorIsDown(t *testing.T) {
	d := start(t, 2)
	d.Exists(step(0, 1))
	d.Stop()
	d.MakeReady(step(0, 1))
	d.wants(1)
	d.Restart()
	d.is(1)
	d.Gone(step(0, 1))
	d.converged(t, "shop-0-to-1")
}

// TestAStepLosesItsLabels lets somebody strip the Job of a running step, by whose labels the operator knows it.
func TestAStepLosesItsLabels(t *testing.T) {
	d := start(t, 1)
	job := step(0, 1)
	d.Exists(job)
	uid := job.UID
	d.Update(job, func() { job.Labels = nil })
	d.Eventually("the Job has its labels again", func() error {
		if d.Get(job); len(job.Labels) == 0 || job.UID != uid {
			return fmt.Errorf("it has %v", job.Labels)
		}
		return nil
	})
	d.goes(0, 1)
	d.converged(t, "shop-0-to-1")
}

func TestAStepThatFailsIsTriedAgain(t *testing.T) {
	d := start(t, 1)
	first := step(0, 1)
	d.Exists(first)
	d.MakeFailed(first)
	d.Gone(first)
	d.goes(0, 1)
	d.converged(t, "shop-0-to-1", "shop-0-to-1")
}

// TestDeletionInTheMiddle deletes the Job of the running step with its DatabaseSchema.
func TestDeletionInTheMiddle(t *testing.T) {
	d := start(t, 2)
	d.goes(0, 1)
	running := step(1, 2)
	d.Exists(running)
	d.Delete(d.schema)
	d.Gone(d.schema, running)
}

// TestExplore copies the Job, removes its labels, refuses it, and lets requests fail.
func TestExplore(t *testing.T) {
	named := func(name string) *convergencev1.DatabaseSchema {
		schema := newSchema(0, 3)
		schema.Name = name
		return schema
	}
	operatortest.Explore(t, testConfig(), operatortest.Life{Parents: operatortest.ParentsOf(named)})
}
