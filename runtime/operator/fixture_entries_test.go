package operator_test

import (
	"context"
	"sync"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

type (
	entriesChildren struct {
		Migrations operator.Snapshot[*batchv1.Job]
		Backups    operator.Snapshot[*batchv1.Job]
	}
	entriesDesired struct {
		Migrations operator.DesiredSet[*batchv1.Job]
		Backups    operator.DesiredSet[*batchv1.Job]
	}
	entriesRequest    = operator.Request[*testapi.Site, entriesChildren, struct{}]
	entriesResponse   = operator.Response[entriesDesired, testapi.Status]
	entriesDefinition = operator.Definition[*testapi.Site, testapi.Status, entriesChildren, entriesDesired, struct{}]
)

// entriesOperator is an operator whose Sites have Jobs of two entries: migrations, and backups of which a
// history stays.
type entriesOperator struct {
	*operatortest.Cluster
	t    *testing.T
	site *testapi.Site

	mu       sync.Mutex
	desire   func(req *entriesRequest, want *entriesDesired)
	observed map[string][]string // what the last Sync saw, by entry
}

func startEntries(t *testing.T, desire func(*entriesRequest, *entriesDesired), change func(*entriesDefinition)) *entriesOperator {
	t.Helper()
	t.Parallel()
	o := &entriesOperator{t: t, site: site("web"), desire: desire}
	o.Cluster = operatortest.Start(t, operatortest.Config{
		Controllers: func(operator.Manager) ([]operator.Controller, error) {
			d := entriesDefinition{
				Name: "site", Group: testapi.Version.Group,
				Parents:            []operator.ParentKind{{Object: &testapi.Site{}}},
				Schemes:            runtime.SchemeBuilder{testapi.AddToScheme},
				Kinds:              entryKinds,
				Status:             func(s *testapi.Site) *testapi.Status { return &s.Status },
				Conditions:         func(s *testapi.Status) *[]metav1.Condition { return &s.Conditions },
				ObservedGeneration: func(s *testapi.Status) *int64 { return &s.ObservedGeneration },
				Sync:               o.sync,
			}
			if change != nil {
				change(&d)
			}
			return []operator.Controller{operator.NewController(d)}, nil
		},
		CRDs:    []string{"../internal/testapi/crds.yaml"},
		Schemes: runtime.SchemeBuilder{testapi.AddToScheme},
	})
	return o
}

func entryKinds(observed *entriesChildren, desired *entriesDesired) []operator.ChildKind {
	return []operator.ChildKind{
		{Object: &batchv1.Job{}, As: "Migrations", Policies: operator.Policies{Update: operator.CreateOnly}, Fields: operator.Bind(&observed.Migrations, &desired.Migrations)},
		{
			Object: &batchv1.Job{}, As: "Backups", Policies: operator.Policies{Update: operator.CreateOnly},
			History: &operator.History{Succeeded: 2, Failed: 1}, NotPartOfReady: true, Fields: operator.Bind(&observed.Backups, &desired.Backups),
		},
	}
}

func (o *entriesOperator) sync(_ context.Context, req *entriesRequest) (*entriesResponse, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.observed = map[string][]string{}
	for job := range req.Children.Migrations.All() {
		o.observed["Migrations"] = append(o.observed["Migrations"], job.Name)
	}
	for job := range req.Children.Backups.All() {
		o.observed["Backups"] = append(o.observed["Backups"], job.Name)
	}
	want := new(entriesDesired)
	o.desire(req, want)
	return &entriesResponse{Children: want}, nil
}

// setDesire changes what Sync desires, and has it called.
func (o *entriesOperator) setDesire(desire func(*entriesRequest, *entriesDesired)) {
	o.t.Helper()
	o.mu.Lock()
	o.desire = desire
	o.mu.Unlock()
	o.Reconcile(o.site)
	o.Settled()
}

// sees returns the names of the Jobs that the last Sync saw in an entry.
func (o *entriesOperator) sees(entry string) []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.observed[entry]
}

// job returns a Job of the Site.
func (o *entriesOperator) job(name string) *batchv1.Job {
	o.t.Helper()
	job := runJob(name)
	if !o.Get(job) {
		o.t.Fatalf("there is no Job %s", name)
	}
	return job
}
