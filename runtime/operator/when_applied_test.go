package operator_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

func TestRunThatAQuotaRefusesIsMadeOnceTheQuotaIsLifted(t *testing.T) {
	s := startScheduled(t, nil)
	s.Create(s.site)
	s.ready("Ready")
	lift := s.denyByQuota()
	tick := s.tick()
	s.ready("Forbidden")
	s.recorded(time.Time{})
	if jobs := s.jobs(); len(jobs) > 0 {
		t.Fatalf("the quota let %v through, so that this tests nothing", jobs)
	}
	lift()
	s.Advance(10 * time.Minute)
	s.recorded(tick)
	if jobs := s.jobs(); len(jobs) != 1 || jobs[0] != nameOf(tick) {
		t.Errorf("the Jobs are %v, want that of %s", jobs, tick)
	}
	s.Converged(s.site)
}

func TestTwoTicksThatAreRefusedAreOneRun(t *testing.T) {
	s := startScheduled(t, nil)
	s.Create(s.site)
	s.ready("Ready")
	lift := s.Deny(&batchv1.Job{}, "create", metav1.Status{Code: http.StatusInternalServerError, Reason: metav1.StatusReasonInternalError, Message: "the webhook restarts"})
	s.tick()
	tick := s.tick()
	s.ready("ApplyFailed")
	s.recorded(time.Time{})
	lift()
	s.Advance(10 * time.Minute)
	s.recorded(tick)
	if jobs := s.jobs(); len(jobs) != 1 || jobs[0] != nameOf(tick) {
		t.Errorf("the Jobs are %v, want that of %s", jobs, tick)
	}
	s.Converged(s.site)
}

// The rest of the status says what goes on, while a policy refuses the run.
func TestRunThatAPolicyRefusesLeavesTheRestOfTheStatus(t *testing.T) {
	s := startScheduled(t, func(d *operator.Definition[*testapi.Site, testapi.Status, runsChildren, runsDesired, struct{}]) {
		sync := d.Sync
		d.Sync = func(ctx context.Context, req *runsRequest) (*runsResponse, error) {
			response, err := sync(ctx, req)
			if err == nil {
				response.Conditions = []metav1.Condition{{Type: "Planned", Status: metav1.ConditionTrue, Message: fmt.Sprint(response.Children.Jobs.Len())}}
			}
			return response, err
		}
	})
	s.Create(s.site)
	s.ready("Ready")
	lift := s.DenyByPolicy(&batchv1.Job{}, "create", metav1.Status{Reason: metav1.StatusReasonForbidden})
	tick := s.tick()
	s.ready("Forbidden")
	s.recorded(time.Time{})
	if planned := meta.FindStatusCondition(s.site.Status.Conditions, "Planned"); planned == nil || planned.Message != "1" {
		t.Errorf("the condition of Sync is %+v", planned)
	}
	lift()
	s.Advance(10 * time.Minute)
	s.recorded(tick)
}

func TestRunThatWaitsForAnotherChildIsNotRecorded(t *testing.T) {
	s := startScheduled(t, nil)
	s.setAdd(func(want *runsDesired, job *batchv1.Job, record operator.ChildOption) {
		database := pod("database", "db:1")
		want.Pods.Add(database)
		want.Jobs.Add(job, operator.CreateOnly, record, operator.After(database))
	})
	s.Create(s.site)
	s.ready("Ready")
	tick := s.tick()
	s.ready("Progressing")
	s.recorded(time.Time{})
	if jobs := s.jobs(); len(jobs) > 0 {
		t.Fatalf("the Jobs are %v before the database is ready", jobs)
	}
	s.MakeReady(named(&corev1.Pod{}, "database"))
	s.recorded(tick)
	if jobs := s.jobs(); len(jobs) != 1 {
		t.Errorf("the Jobs are %v", jobs)
	}
}

func TestScheduledRunCostsOneCreateAndOneStatusWrite(t *testing.T) {
	s := startScheduled(t, nil)
	s.Create(s.site)
	s.ready("Ready")
	before := s.Settled()
	s.tick()
	after := s.Settled()
	var got []string
	for _, request := range s.Requests()[before:after] {
		got = append(got, request.String())
	}
	// The second status says that the Job has not completed: it is of the run's own progress.
	if len(got) < 2 || !strings.HasPrefix(got[0], "create jobs web-") || got[1] != "patch sites/status web: 200" || len(got) > 2 {
		t.Errorf("requests are %q, want one create and one write of the status", got)
	}
}

// A crash between the write of the child and that of the status neither loses nor repeats a run.
func TestKillBetweenARunAndItsRecordRunsItOnce(t *testing.T) {
	s := startScheduled(t, nil)
	s.Create(s.site)
	s.ready("Ready")
	s.Settled()
	fault, err := operatortest.ParseFault("create jobs 1 after crash")
	if err != nil {
		t.Fatal(err)
	}
	s.Inject(fault)
	tick := s.tick()
	s.recorded(tick)
	if s.Struck(fault) != 1 {
		t.Error("the operator was not killed")
	}
	if jobs := s.jobs(); len(jobs) != 1 || jobs[0] != nameOf(tick) {
		t.Errorf("the Jobs are %v, want that of %s", jobs, tick)
	}
	s.ClearFaults()
	s.Converged(s.site)
}

// A run that was recorded is not made again when its time to live is over.
func TestRunThatIsGoneAfterItsRecordIsNotRepeated(t *testing.T) {
	s := startScheduled(t, nil)
	s.Create(s.site)
	s.ready("Ready")
	tick := s.tick()
	s.recorded(tick)
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: nameOf(tick), Namespace: s.Namespace}}
	if err := s.Client.Delete(t.Context(), job, client.PropagationPolicy(metav1.DeletePropagationBackground)); err != nil {
		t.Fatal(err)
	}
	s.Gone(job)
	s.Restart()
	s.Reconciled(s.site)
	if jobs := s.jobs(); len(jobs) > 0 {
		t.Errorf("the Jobs are %v", jobs)
	}
	s.recorded(tick)
}

func TestFunctionOfWhenAppliedThatPanicsIsReported(t *testing.T) {
	s := startScheduled(t, nil)
	s.setAdd(func(want *runsDesired, job *batchv1.Job, _ operator.ChildOption) {
		want.Jobs.Add(job, operator.CreateOnly, operator.WhenApplied(func(response *runsResponse) {
			response.Status.Phase = "half-way"
			panic("a bug")
		}))
	})
	s.Create(s.site)
	s.ready("Ready")
	tick := s.tick()
	s.ready("SyncPanicked")
	s.recorded(time.Time{}) // nothing of what it has set
	s.add.Store(nil)
	s.Advance(10 * time.Minute)
	s.recorded(tick)
}

func TestWhenAppliedOfAnotherKindIsReported(t *testing.T) {
	s := startScheduled(t, nil)
	s.setAdd(func(want *runsDesired, job *batchv1.Job, _ operator.ChildOption) {
		want.Jobs.Add(job, operator.CreateOnly, operator.WhenApplied(func(response *Response) { response.Status.Phase = "of another kind" }))
	})
	s.Create(s.site)
	s.ready("Ready")
	s.tick()
	s.ready("SyncFailed")
}

func TestFunctionOfWhenAppliedMayNotGoBeyondASync(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*runsResponse){
		"it finalizes":                     func(response *runsResponse) { response.Finalized = true },
		"it labels a parent without right": func(response *runsResponse) { response.Labels = map[string]string{"a": "b"} },
	} {
		t.Run(name, func(t *testing.T) {
			s := startScheduled(t, nil)
			s.setAdd(func(want *runsDesired, job *batchv1.Job, _ operator.ChildOption) {
				want.Jobs.Add(job, operator.CreateOnly, operator.WhenApplied(change))
			})
			s.Create(s.site)
			s.ready("Ready")
			s.tick()
			s.ready("SyncFailed")
		})
	}
}
