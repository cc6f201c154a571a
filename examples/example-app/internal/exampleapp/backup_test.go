package exampleapp

import (
	"strings"
	"testing"
	"time"

	"github.com/opgen-dev/opgen/runtime/operatortest"

	"example.com/example-app/api/v1alpha1"
)

func TestBackup(t *testing.T) {
	l := installed(t, func(app *v1alpha1.ExampleApp) {
		app.Spec.Backup = &v1alpha1.ExampleAppBackup{Schedule: "@hourly", Keep: 2}
	})
	for range 4 {
		l.sim.Advance(time.Hour)
		l.sim.Converged()
		for job := range l.sim.Request().Children.Backups.All() {
			if job.Status.CompletionTime == nil {
				l.sim.MakeReady(job)
			}
		}
		l.sim.Converged()
	}
	l.sim.Expect(operatortest.Case[Request, Response]{Check: func(t testing.TB, got *Response) {
		backup := got.Status.Backup
		if len(backup.Backups) != 2 || backup.Backups[0].Version != "1.0.0" || backup.LastBackupTime == nil ||
			!backup.LastBackupTime.Equal(&backup.Backups[0].Time) {
			t.Errorf("the status says %+v", backup)
		}
	}})
}

func TestBackupScheduleWithATypo(t *testing.T) {
	app := newApp(t, func(app *v1alpha1.ExampleApp) {
		app.Spec.Backup = &v1alpha1.ExampleAppBackup{Schedule: "every hour"}
	})
	response, err := new(Reconciler).Sync(t.Context(), &Request{Parent: app, Now: time.Unix(1e9, 0)})
	if err == nil || !strings.Contains(err.Error(), "spec.backup.schedule") || response.Children.Deployments.Len() != 1 {
		t.Errorf("the error is %v; the application runs all the same: %d", err, response.Children.Deployments.Len())
	}
}

// A backup of an earlier version is restored with that version, and then upgraded like every other.
func TestRecovery(t *testing.T) {
	l := installed(t, func(app *v1alpha1.ExampleApp) {
		app.Spec.Backup = &v1alpha1.ExampleAppBackup{Schedule: "@yearly"}
	})
	l.sim.Advance(365 * 24 * time.Hour)
	l.sim.Converged()
	backup := ""
	for job := range l.sim.Request().Children.Backups.All() {
		backup = job.Name
	}
	l.ends(backup)
	l.app.Spec.AppVersion = "2.0.0"
	l.sim.Converged()
	l.serves()
	l.ends("shop-before-2-0-0")
	l.ends("shop-migrate-2-0-0")
	l.serves()
	l.says("2.0.0", "UpToDate")

	l.app.Spec.RestoreFrom = backup
	restore := "shop-restore-" + strings.TrimPrefix(backup, "shop-")
	l.sim.Converged()
	l.runs("1.0.0", 0, backup)
	l.serves() // it has stopped
	l.runs("1.0.0", 0, restore, backup)
	l.sim.MakeReady(job(restore))
	l.sim.Step()
	l.says("1.0.0", "Upgrading")
	l.sim.Converged()
	l.ends("shop-before-2-0-0")
	l.ends("shop-migrate-2-0-0")
	l.serves()
	l.says("2.0.0", "UpToDate")
	l.runs("2.0.0", 1, backup)
}

func TestRecoveryFromABackupThatThereIsNot(t *testing.T) {
	app := newApp(t, func(app *v1alpha1.ExampleApp) { app.Spec.RestoreFrom = "shop-backup-7" })
	response, err := new(Reconciler).Sync(t.Context(), &Request{Parent: app, Now: time.Unix(1e9, 0)})
	if err == nil || !strings.Contains(err.Error(), `no backup in the status has the name "shop-backup-7"`) || response.Children.Deployments.Len() != 1 {
		t.Errorf("the error is %v; the application runs all the same: %d", err, response.Children.Deployments.Len())
	}
}
