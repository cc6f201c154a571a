package operator_test

import (
	"errors"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/operatortest"
)

// expiringJob returns a Job that is deleted a second after it has finished.
func expiringJob(name string) *batchv1.Job {
	job := runJob(name)
	job.Spec.TTLSecondsAfterFinished = new(int32(1))
	return job
}

// nextJob waits for the Job after the one with a UID.
func (o *entriesOperator) nextJob(last types.UID) *batchv1.Job {
	o.t.Helper()
	job := runJob("web")
	o.Eventually("the Job is there again", func() error {
		if !o.Get(job) || job.UID == last || job.DeletionTimestamp != nil {
			return errors.New("it is not")
		}
		return nil
	})
	return job
}

// A desired Job that deletes itself runs again. Nobody else does that, and the author is told.
func TestJobThatDeletesItselfIsNamed(t *testing.T) {
	o := startEntries(t, func(_ *entriesRequest, want *entriesDesired) { want.Migrations.Add(expiringJob("web")) }, nil)
	o.Create(o.site)
	const warning = "was deleted after its ttlSecondsAfterFinished, and Sync still desires it, so that it runs again"
	last := types.UID("")
	for range 3 {
		job := o.nextJob(last)
		last = job.UID
		o.MakeReady(job)
	}
	o.Eventually("Ready names the field", func() error {
		o.Get(o.site)
		ready := meta.FindStatusCondition(o.site.Status.Conditions, "Ready")
		if ready == nil || ready.Reason != "FieldConflict" || !strings.Contains(ready.Message, "ttlSecondsAfterFinished") || strings.Contains(ready.Message, "somebody") {
			return errors.New("Ready says " + operatortest.Diff(nil, ready))
		}
		return nil
	})
	warnings := 0
	for _, event := range eventsOn(t, o.Cluster, "Site") {
		if strings.Contains(event, warning) {
			warnings++
		}
	}
	if warnings != 1 {
		t.Errorf("%d Events warn of it: %v", warnings, eventsOn(t, o.Cluster, "Site"))
	}
}

// A Job that somebody deletes before it has finished does not expire.
func TestJobThatIsDeletedBeforeItHasFinishedIsSomebodysDoing(t *testing.T) {
	o := startEntries(t, func(_ *entriesRequest, want *entriesDesired) { want.Migrations.Add(expiringJob("web")) }, nil)
	o.Create(o.site)
	last := types.UID("")
	for range 3 {
		job := o.nextJob(last)
		last = job.UID
		o.Settled()
		if err := o.Client.Delete(t.Context(), job, client.PropagationPolicy(metav1.DeletePropagationBackground)); err != nil {
			t.Fatal(err)
		}
	}
	o.ready("FieldConflict")
	o.Get(o.site)
	if message := meta.FindStatusCondition(o.site.Status.Conditions, "Ready").Message; !strings.Contains(message, "somebody keeps deleting it") {
		t.Errorf("Ready says %s", message)
	}
	for _, event := range eventsOn(t, o.Cluster, "Site") {
		if strings.Contains(event, "ttlSecondsAfterFinished") {
			t.Errorf("an Event says %s", event)
		}
	}
}
