package databaseschema

import (
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"

	convergencev1 "example.com/convergence/api/v1"
)

// newSchema is a database at a version that is to have another one.
func newSchema(at, desired int32) *convergencev1.DatabaseSchema {
	return &convergencev1.DatabaseSchema{
		ObjectMeta: metav1.ObjectMeta{Name: "shop"},
		Spec:       convergencev1.DatabaseSchemaSpec{Version: desired, Image: "shop-migrations:7"},
		Status:     convergencev1.DatabaseSchemaStatus{Version: at},
	}
}

// step is the Job of a step, without a status.
func step(from, to int32) *batchv1.Job { return jobFor(newSchema(0, 0), from, to) }

// ended is the Job of a step that has succeeded or failed.
func ended(job *batchv1.Job, how batchv1.JobConditionType) *batchv1.Job {
	job.Status.Conditions = []batchv1.JobCondition{{Type: how, Status: "True"}}
	return job
}

// Sync is a function of its request, so its tests need no cluster.
func TestSync(t *testing.T) {
	for _, test := range []struct {
		name        string
		at, desired int32
		observed    []*batchv1.Job
		expected    *batchv1.Job // none: nil
		version     int32
		left        int32
	}{
		{"the first step", 0, 3, nil, step(0, 1), 0, 3},
		{"a step down", 3, 1, nil, step(3, 2), 3, 2},
		{"the desired version", 3, 3, nil, nil, 3, 0},
		{"a step that runs", 0, 3, []*batchv1.Job{step(0, 1)}, step(0, 1), 0, 3},
		{"a step that has succeeded is recorded", 0, 3,
			[]*batchv1.Job{ended(step(0, 1), batchv1.JobComplete)}, step(0, 1), 1, 2},
		{"the step after one that is recorded", 1, 3,
			[]*batchv1.Job{ended(step(0, 1), batchv1.JobComplete)}, step(1, 2), 1, 2},
		{"the last step is dropped once it is recorded", 3, 3,
			[]*batchv1.Job{ended(step(2, 3), batchv1.JobComplete)}, nil, 3, 0},
		{"a step that runs when the desired version changes", 2, 0,
			[]*batchv1.Job{step(2, 3)}, step(2, 3), 2, 2},
		{"its end, which leads away from the desired version", 2, 0,
			[]*batchv1.Job{ended(step(2, 3), batchv1.JobComplete)}, step(2, 3), 3, 3},
		{"a step that has failed is tried again", 2, 3,
			[]*batchv1.Job{ended(step(2, 3), batchv1.JobFailed)}, step(2, 3), 2, 1},
		{"one that has failed is dropped when nothing desires it", 2, 2,
			[]*batchv1.Job{ended(step(2, 3), batchv1.JobFailed)}, nil, 2, 0},
		{"one that has failed, and a desired version in the other direction", 2, 0,
			[]*batchv1.Job{ended(step(2, 3), batchv1.JobFailed)}, step(2, 1), 2, 2},
	} {
		want := new(Desired)
		if test.expected != nil {
			retry := len(test.observed) > 0 && test.observed[0].Name == test.expected.Name &&
				len(test.observed[0].Status.Conditions) > 0 && test.observed[0].Status.Conditions[0].Type == batchv1.JobFailed
			want.Jobs.Add(test.expected, operator.RecreateIf(retry))
		}
		operatortest.Run(t, new(Reconciler).Sync, operatortest.Case[Request, Response]{
			Name: test.name,
			Given: Request{
				Parent:   newSchema(test.at, test.desired),
				Children: Children{Jobs: operator.NewSnapshot(test.observed...)},
			},
			Expect: &Response{
				Children: want,
				Status:   &convergencev1.DatabaseSchemaStatus{Version: test.version, StepsLeft: test.left},
			},
		})
	}
}

// TestTheSpecChangesHalfway goes the whole way without a cluster: up to 3, where somebody wants 1.
func TestTheSpecChangesHalfway(t *testing.T) {
	schema := newSchema(0, 5)
	controller, err := New(nil)
	if err != nil {
		t.Fatal(err)
	}
	sim := operatortest.Simulate(t, new(Reconciler).Sync, schema, controller)
	at := func(version, left int32) {
		t.Helper()
		sim.Converged() // until the Job of a step ends
		sim.Expect(operatortest.Case[Request, Response]{ExpectPart: &Response{
			Status: &convergencev1.DatabaseSchemaStatus{Version: version, StepsLeft: left},
		}})
	}
	at(0, 5)
	sim.MakeReady(step(0, 1))
	at(1, 4)
	sim.MakeReady(step(1, 2))
	at(2, 3)
	schema.Spec.Version = 1
	at(2, 1) // the step to 3 still runs
	sim.MakeReady(step(2, 3))
	at(3, 2)
	sim.MakeReady(step(3, 2))
	at(2, 1)
	sim.MakeReady(step(2, 1))
	at(1, 0)
	for _, job := range []*batchv1.Job{step(1, 2), step(2, 3), step(3, 2), step(2, 1)} {
		if sim.Get(job) {
			t.Errorf("the Job %s is still there", job.Name)
		}
	}
}
