package operator_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

type (
	runsChildren struct {
		Jobs operator.Snapshot[*batchv1.Job]
		Pods operator.Snapshot[*corev1.Pod]
	}
	runsDesired struct {
		Jobs operator.DesiredSet[*batchv1.Job]
		Pods operator.DesiredSet[*corev1.Pod]
	}
	runsRequest  = operator.Request[*testapi.Site, runsChildren, struct{}]
	runsResponse = operator.Response[runsDesired, testapi.Status]
)

// scheduled is an operator whose Sites have a Job for each hour, as docs/runtime.md has it. Their
// status has the tick of the last run in its phase.
type scheduled struct {
	*operatortest.Cluster
	t    *testing.T
	site *testapi.Site
	add  atomic.Pointer[func(*runsDesired, *batchv1.Job, operator.ChildOption)] // adds the Job of a tick; nil: alone
}

func startScheduled(t *testing.T, change func(*operator.Definition[*testapi.Site, testapi.Status, runsChildren, runsDesired, struct{}])) *scheduled {
	t.Helper()
	t.Parallel()
	s := &scheduled{t: t, site: site("web")}
	s.Cluster = operatortest.Start(t, operatortest.Config{
		Controllers: func(operator.Manager) ([]operator.Controller, error) {
			d := operator.Definition[*testapi.Site, testapi.Status, runsChildren, runsDesired, struct{}]{
				Name:    "site",
				Group:   testapi.Version.Group,
				Parents: []operator.ParentKind{{Object: &testapi.Site{}}},
				Schemes: runtime.SchemeBuilder{testapi.AddToScheme},
				Kinds: func(observed *runsChildren, desired *runsDesired) []operator.ChildKind {
					return []operator.ChildKind{
						{Object: &batchv1.Job{}, Fields: operator.Bind(&observed.Jobs, &desired.Jobs)},
						{Object: &corev1.Pod{}, Fields: operator.Bind(&observed.Pods, &desired.Pods)},
					}
				},
				Status:             func(s *testapi.Site) *testapi.Status { return &s.Status },
				Conditions:         func(s *testapi.Status) *[]metav1.Condition { return &s.Conditions },
				ObservedGeneration: func(s *testapi.Status) *int64 { return &s.ObservedGeneration },
				Sync:               s.sync,
			}
			if change != nil {
				change(&d)
			}
			return []operator.Controller{operator.NewController(d)}, nil
		},
		CRDs:    []string{"../internal/testapi/crds.yaml"},
		Schemes: runtime.SchemeBuilder{testapi.AddToScheme},
	})
	return s
}

func (s *scheduled) sync(_ context.Context, req *runsRequest) (*runsResponse, error) {
	site, want, status := req.Parent, new(runsDesired), req.Parent.Status

	parsed, _ := time.Parse(time.RFC3339, status.Phase)
	schedule, err := req.Schedule("@hourly", "", &metav1.Time{Time: parsed})
	if err != nil {
		return nil, err
	}
	if schedule.Due() {
		job := runJob(schedule.Name(site.Name))
		record := operator.WhenApplied(func(response *runsResponse) { response.Status.Phase = schedule.Tick.UTC().Format(time.RFC3339) })
		if add := s.add.Load(); add != nil {
			(*add)(want, job, record)
		} else {
			want.Jobs.Add(job, operator.CreateOnly, record)
		}
	}
	want.Jobs.Keep(operator.Runs(req.Children.Jobs, operator.History{Succeeded: 3, Failed: 1})...)
	return &runsResponse{Children: want, Status: &status, RequeueAfter: schedule.Wait}, nil
}

// setAdd changes how the Job of a tick is added.
func (s *scheduled) setAdd(add func(want *runsDesired, job *batchv1.Job, record operator.ChildOption)) {
	s.add.Store(&add)
}

// jobs returns the names of the Jobs that exist, without those that are being deleted.
func (s *scheduled) jobs() (names []string) {
	s.t.Helper()
	for _, job := range operatortest.ChildrenOf[*batchv1.Job](s.Cluster, s.site) {
		if job.DeletionTimestamp == nil {
			names = append(names, job.Name)
		}
	}
	return names
}

// tick moves the clock to just after the next hour, and returns that hour.
func (s *scheduled) tick() time.Time {
	s.t.Helper()
	hour := s.Now().Truncate(time.Hour).Add(time.Hour)
	s.Advance(hour.Sub(s.Now()) + time.Second)
	return hour
}

// nameOf returns the name of the Job for a tick.
func nameOf(tick time.Time) string { return fmt.Sprintf("web-%d", tick.Unix()/60) }

// recorded waits until the status has the tick of the last run; zero: it has none.
func (s *scheduled) recorded(tick time.Time) {
	s.t.Helper()
	want := ""
	if !tick.IsZero() {
		want = tick.UTC().Format(time.RFC3339)
	}
	s.Eventually("the last run is "+want, func() error {
		if s.Get(s.site); s.site.Status.Phase != want {
			return fmt.Errorf("it is %q", s.site.Status.Phase)
		}
		return nil
	})
}

// ready waits until the Ready condition has a reason.
func (s *scheduled) ready(reason string) {
	s.t.Helper()
	s.Eventually("Ready has reason "+reason, func() error {
		s.Get(s.site)
		if condition := meta.FindStatusCondition(s.site.Status.Conditions, "Ready"); condition == nil || condition.Reason != reason {
			return fmt.Errorf("it is %+v", condition)
		}
		return nil
	})
}

// denyByQuota lets nobody create Jobs in the test's namespace.
func (s *scheduled) denyByQuota() (lift func()) {
	s.t.Helper()
	quota := &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Name: "none"}, Spec: corev1.ResourceQuotaSpec{
		Hard: corev1.ResourceList{"count/jobs.batch": resource.MustParse("0")},
	}}
	s.Create(quota)
	s.Eventually("the quota is in effect", func() error {
		if s.Get(quota); len(quota.Status.Hard) == 0 || len(quota.Status.Used) == 0 {
			return errors.New("it has no status")
		}
		probe := runJob("probe")
		probe.Namespace = s.Namespace
		if err := s.Client.Create(s.t.Context(), probe, client.DryRunAll); !apierrors.IsForbidden(err) { // admission sees the quota later
			return errors.New(fmt.Sprint("a Job is answered with ", err))
		}
		return nil
	})
	return func() { s.Delete(quota) }
}

// runJob is the Job of a run.
func runJob(name string) *batchv1.Job {
	return &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: batchv1.JobSpec{Template: corev1.PodTemplateSpec{
		Spec: corev1.PodSpec{RestartPolicy: corev1.RestartPolicyNever, Containers: []corev1.Container{{Name: "job", Image: "job:1"}}},
	}}}
}
