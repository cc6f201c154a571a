package exampleapp

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/opgen-dev/opgen/runtime/operator"

	"example.com/example-app/api/v1alpha1"
)

// backUp desires a backup when the schedule has one due, and keeps the latest. While the application is stopped,
// a backup waits.
func (p *plan) backUp(isBusy bool) error {
	if p.status.Backup == nil {
		p.status.Backup = new(v1alpha1.ExampleAppStatusBackup)
	}
	p.recordBackups()
	spec := p.Parent.Spec.Backup
	if spec == nil || !*spec.Enabled {
		p.want.Backups.Keep(operator.Runs(p.Children.Backups, operator.History{Succeeded: 100, Failed: 1})...)
		return nil
	}
	limit := operator.History{Succeeded: int(spec.Keep), Failed: 1}
	p.want.Backups.Keep(operator.Runs(p.Children.Backups, limit)...)

	schedule, err := p.Schedule(spec.Schedule, "", p.status.Backup.LastTick)
	if err != nil {
		return fmt.Errorf("spec.backup.schedule: %w", err) // it is terminal: only a change of the spec helps
	}
	p.response.RequeueAt(p.Now, schedule.Next)
	if schedule.Due() && !isBusy && p.status.CurrentVersion != "" {
		job := backupJob(p.Parent, p.status.CurrentVersion, schedule.Name(p.Parent.Name+"-backup"))
		p.want.Backups.Add(job, operator.WhenApplied(func(response *Response) {
			response.Status.Backup.LastTick = &schedule.Tick
		}))
	}
	return nil
}

// recordBackups lists the backups that are complete, the latest first, and says what the last one failed of.
func (p *plan) recordBackups() {
	backups := []v1alpha1.ExampleAppStatusBackupBackup{}
	for job := range p.Children.Backups.All() {
		if failure, hasFailed := p.Children.Backups.Failed(job.Name); hasFailed {
			p.status.LastError = fmt.Sprintf("backup %s failed: %s", job.Name, failure.Message)
		}
		if job.Status.CompletionTime != nil {
			backups = append(backups, v1alpha1.ExampleAppStatusBackupBackup{
				Name: job.Name, Version: versionOf(job.Spec.Template), Time: *job.Status.CompletionTime,
			})
		}
	}
	slices.SortStableFunc(backups, func(a, b v1alpha1.ExampleAppStatusBackupBackup) int {
		return cmp.Or(b.Time.Compare(a.Time.Time), cmp.Compare(b.Name, a.Name))
	})
	p.status.Backup.Backups = backups
	if len(backups) > 0 && backups[0].Time.After(lastBackupTime(p.status)) {
		p.status.Backup.LastBackupTime = &backups[0].Time
	}
}

func lastBackupTime(status *v1alpha1.ExampleAppStatus) time.Time {
	if status.Backup.LastBackupTime == nil {
		return time.Time{}
	}
	return status.Backup.LastBackupTime.Time
}
