package operator_test

import (
	"fmt"
	"slices"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/opgen-dev/opgen/runtime/operator"
)

const listedAs = "test.opgen.dev/listed-as"

// desireBoth desires a migration and a backup.
func desireBoth(_ *entriesRequest, want *entriesDesired) {
	want.Migrations.Add(runJob("migrate"))
	want.Backups.Add(runJob("backup"))
}

func desireNoJobs(*entriesRequest, *entriesDesired) {}

func TestEntriesOfAKindAreApart(t *testing.T) {
	o := startEntries(t, desireBoth, nil)
	o.Create(o.site)
	o.Exists(runJob("migrate"), runJob("backup"))
	o.Settled()
	if m, b := o.sees("Migrations"), o.sees("Backups"); !slices.Equal(m, []string{"migrate"}) || !slices.Equal(b, []string{"backup"}) {
		t.Errorf("Sync sees migrations %v and backups %v", m, b)
	}
	if got := o.job("backup").Labels[listedAs]; got != "Backups" {
		t.Errorf("the label of the backup is %q", got)
	}
	o.Converged(o.site)
}

// attackMarks edits the marks that say to which entry the backup belongs.
var attackMarks = map[string]func(job *batchv1.Job){
	"the label is removed":      func(job *batchv1.Job) { delete(job.Labels, listedAs) },
	"the annotation is removed": func(job *batchv1.Job) { delete(job.Annotations, listedAs) },
	"the label is another":      func(job *batchv1.Job) { job.Labels[listedAs] = "Migrations" },
	"the annotation is none":    func(job *batchv1.Job) { job.Annotations[listedAs] = "Nonsense" },
}

func TestChildStaysInItsEntryWhateverMarkIsEdited(t *testing.T) {
	t.Parallel()
	for name, edit := range attackMarks {
		for _, isDown := range []bool{false, true} {
			t.Run(name+map[bool]string{true: " while the operator is down"}[isDown], func(t *testing.T) {
				o := startEntries(t, desireBoth, nil)
				o.Create(o.site)
				o.Exists(runJob("migrate"), runJob("backup"))
				o.Settled()
				before := o.job("backup")
				if isDown {
					o.Stop()
				}
				o.Update(before, func() { edit(before) })
				if isDown {
					o.Restart()
				}
				o.Reconcile(o.site)
				o.Settled()
				if b := o.sees("Backups"); !slices.Equal(b, []string{"backup"}) {
					t.Errorf("Sync sees backups %v", b)
				}
				after := o.job("backup")
				if after.UID != before.UID || after.Labels[listedAs] != "Backups" || after.Annotations[listedAs] != "Backups" {
					t.Errorf("the backup is now %+v", after.ObjectMeta)
				}
				o.Converged(o.site)
			})
		}
	}
}

func TestChildMovesToAnotherEntry(t *testing.T) {
	o := startEntries(t, desireBoth, nil)
	o.Create(o.site)
	o.Exists(runJob("migrate"), runJob("backup"))
	o.Settled()
	before := o.job("backup")
	o.setDesire(func(_ *entriesRequest, want *entriesDesired) {
		want.Migrations.Add(runJob("migrate"))
		want.Migrations.Add(runJob("backup"))
	})
	o.Reconcile(o.site)
	if m := o.sees("Migrations"); !slices.Equal(m, []string{"backup", "migrate"}) {
		t.Errorf("Sync sees migrations %v", m)
	}
	if after := o.job("backup"); after.UID != before.UID || after.Labels[listedAs] != "Migrations" {
		t.Errorf("the backup is now %+v", after.ObjectMeta)
	}
	o.Converged(o.site)
}

func TestNameOfTwoEntriesIsDesiredTwice(t *testing.T) {
	o := startEntries(t, func(_ *entriesRequest, want *entriesDesired) {
		want.Migrations.Add(runJob("one"))
		want.Backups.Add(runJob("one"))
	}, nil)
	o.Create(o.site)
	o.ready("InvalidChild")
}

// TestChildrenOfBeforeBelongToTheFirstEntry has a release list a kind twice that was listed once.
func TestChildrenOfBeforeBelongToTheFirstEntry(t *testing.T) {
	var isSingle bool
	o := startEntries(t, func(_ *entriesRequest, want *entriesDesired) { want.Migrations.Add(runJob("migrate")) }, func(d *entriesDefinition) {
		isSingle = !isSingle // the first start alone
		if isSingle {
			d.Kinds = func(observed *entriesChildren, desired *entriesDesired) []operator.ChildKind {
				kind := entryKinds(observed, desired)[0]
				kind.As = ""
				return []operator.ChildKind{kind}
			}
		}
	})
	o.Create(o.site)
	o.Exists(runJob("migrate"))
	o.Settled()
	before := o.job("migrate")
	if _, isMarked := before.Labels[listedAs]; isMarked {
		t.Fatalf("a kind that is listed once marks its children: %+v", before.ObjectMeta)
	}
	o.Stop()
	o.Restart()
	o.Reconcile(o.site)
	o.Settled()
	after := o.job("migrate")
	if m := o.sees("Migrations"); !slices.Equal(m, []string{"migrate"}) || after.UID != before.UID || after.Labels[listedAs] != "Migrations" {
		t.Errorf("Sync sees migrations %v; the Job is now %+v", m, after.ObjectMeta)
	}
	o.Converged(o.site)
}

// ready waits until the Ready condition has a reason.
func (o *entriesOperator) ready(reason string) {
	o.t.Helper()
	o.Eventually("Ready has reason "+reason, func() error {
		o.Get(o.site)
		ready := meta.FindStatusCondition(o.site.Status.Conditions, "Ready")
		if ready == nil || ready.Reason != reason {
			return fmt.Errorf("it is %+v", ready)
		}
		return nil
	})
}

func TestChildThatIsNoPartOfReadyLetsTheParentBeReady(t *testing.T) {
	o := startEntries(t, desireBoth, nil)
	o.Create(o.site)
	o.Exists(runJob("migrate"), runJob("backup"))
	o.ready("Progressing")
	o.MakeReady(o.job("migrate"))
	o.ready("Ready") // although the backup runs
	o.finish("backup", batchv1.JobFailed)
	o.Settled()
	o.ready("Ready")
	o.setDesire(func(_ *entriesRequest, want *entriesDesired) {
		want.Migrations.Add(runJob("migrate"), operator.PartOfReady(false))
		want.Backups.Add(runJob("backup"), operator.PartOfReady(true))
	})
	o.ready("ChildFailed")
	o.Converged(o.site)
}

// finish has a Job end with a condition, as the Job controller does.
func (o *entriesOperator) finish(name string, with batchv1.JobConditionType) {
	o.t.Helper()
	job := o.job(name)
	before := map[batchv1.JobConditionType]batchv1.JobConditionType{batchv1.JobComplete: batchv1.JobSuccessCriteriaMet, batchv1.JobFailed: batchv1.JobFailureTarget}[with]
	o.UpdateStatus(job, func() {
		job.Status.Active, job.Status.Ready = 0, nil
		if job.Status.StartTime == nil {
			job.Status.StartTime = &metav1.Time{Time: job.CreationTimestamp.Time}
		}
		if with == batchv1.JobComplete {
			job.Status.CompletionTime = job.Status.StartTime
		}
		for _, condition := range []batchv1.JobConditionType{before, with} {
			job.Status.Conditions = append(job.Status.Conditions, batchv1.JobCondition{Type: condition, Status: corev1.ConditionTrue, Reason: "Test"})
		}
	})
}

// TestHistoryKeepsTheLatest has backups succeed, fail and run on after Sync no longer desires them.
func TestHistoryKeepsTheLatest(t *testing.T) {
	names := []string{"b1", "b2", "b3", "b4", "b5", "b6"}
	o := startEntries(t, func(_ *entriesRequest, want *entriesDesired) {
		for _, name := range names {
			want.Backups.Add(runJob(name))
		}
	}, nil)
	o.Create(o.site)
	for _, name := range names {
		o.Exists(runJob(name))
	}
	o.Settled()
	o.setDesire(desireNoJobs)
	if b := o.sees("Backups"); !slices.Equal(b, names) {
		t.Fatalf("backups that run do not stay: %v", b)
	}
	o.ready("Ready")
	o.Converged(o.site)
	for _, name := range names[:3] {
		o.finish(name, batchv1.JobComplete)
	}
	o.finish("b4", batchv1.JobFailed)
	o.finish("b5", batchv1.JobFailed)
	o.Eventually("two that succeeded, one that failed and one that runs stay", func() error {
		if b := o.sees("Backups"); len(b) != 4 || !slices.Contains(b, "b6") {
			return fmt.Errorf("Sync sees %v", b)
		}
		return nil
	})
	o.Converged(o.site)
	o.Stop()
	o.Restart()
	o.Reconcile(o.site)
	o.Settled()
	if b := o.sees("Backups"); len(b) != 4 {
		t.Errorf("after a restart Sync sees %v", b)
	}
	o.Delete(o.site)
	o.Gone(o.site)
}
