package exampleapp

import (
	"errors"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/opgen-dev/opgen/runtime/operatortest"

	"example.com/example-app/api/v1alpha1"
)

// hourly is an ExampleApp with a backup each hour, of which two are kept.
func hourly(app *v1alpha1.ExampleApp) {
	app.Spec.Backup = &v1alpha1.ExampleAppBackup{Schedule: "@hourly", Keep: 2}
}

// backsUp lets an hour pass and returns the name of the backup that is complete then.
func (i instance) backsUp() string {
	i.Advance(time.Hour)
	i.says("that a backup is complete", func(status v1alpha1.ExampleAppStatus) bool {
		return status.Backup != nil && len(status.Backup.Backups) > 0
	})
	return i.app.Status.Backup.Backups[0].Name
}

// TestClusterBackup keeps the backups of a schedule, also if somebody takes away how the operator finds them.
func TestClusterBackup(t *testing.T) {
	i := start(t, hourly)
	backup := job(i.backsUp())
	i.Exists(backup)
	labelled := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: backup.Name, Labels: backup.Labels}}
	i.Update(backup, func() { backup.Labels = nil })
	i.Matches(labelled)
	i.ends()
}

func TestClusterRecovery(t *testing.T) {
	i := start(t, hourly)
	name := i.backsUp()
	i.change(func(spec *v1alpha1.ExampleAppSpec) { spec.RestoreFrom = name })
	i.says("that the backup is restored", func(status v1alpha1.ExampleAppStatus) bool { return status.RestoredFrom == name })
	i.is("1.0.0", "UpToDate")
	i.runs("1.0.0")
	i.ends()
}

// TestClusterBackupMeetsAQuota has a quota refuse the Job when it is due. The backup is made when the quota is gone, once.
func TestClusterBackupMeetsAQuota(t *testing.T) {
	i := start(t, hourly)
	quota := &corev1.ResourceQuota{
		ObjectMeta: metav1.ObjectMeta{Name: "no-jobs"},
		Spec:       corev1.ResourceQuotaSpec{Hard: corev1.ResourceList{"count/jobs.batch": resource.MustParse("0")}},
	}
	i.Create(quota)
	i.Eventually("the quota counts", func() error {
		if i.Get(quota); quota.Status.Hard == nil || quota.Status.Used == nil {
			return errors.New("it does not")
		}
		return nil
	})
	i.Advance(time.Hour)
	i.says("that a quota refuses the backup", func(status v1alpha1.ExampleAppStatus) bool {
		return meta.IsStatusConditionFalse(status.Conditions, "Ready") && status.Backup.LastTick == nil
	})
	i.Delete(quota)
	i.Reconciled(i.app) // before the retry is due
	i.says("that the backup is complete", func(status v1alpha1.ExampleAppStatus) bool { return len(status.Backup.Backups) == 1 })
	i.Converged(i.app)
	if jobs := operatortest.ChildrenOf[*batchv1.Job](i.Cluster, i.app); len(jobs) != 1 {
		t.Errorf("%d backups were made of one time", len(jobs))
	}
	i.ends()
}
