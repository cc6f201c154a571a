package exampleapp

import (
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"example.com/example-app/api/v1alpha1"
)

// restore stops the application and replaces its data by those of the backup that the spec names, once. It reports
// whether that is going on. The application has the version of the backup then, and an upgrade to the desired
// version follows.
func (p *plan) restore() (isGoingOn bool, err error) {
	name := p.Parent.Spec.RestoreFrom
	if name == "" || name == p.status.RestoredFrom || p.status.Upgrade != nil {
		return false, nil
	}
	backup, found := p.findBackup(name)
	if !found {
		return false, reconcile.TerminalError(fmt.Errorf("spec.restoreFrom: no backup in the status has the name %q", name))
	}
	job := restoreJob(p.Parent, backup.Version, name)
	if _, hasBegun := p.Children.Steps.Get(job.Name); hasBegun || p.isStopped() {
		p.want.Steps.Add(job)
	}
	if failure, hasFailed := p.Children.Steps.Failed(job.Name); hasFailed {
		p.status.LastError = fmt.Sprintf("backup %s could not be restored: %s", name, failure.Message)
		p.isNotReady("RestoreFailed", p.status.LastError)
	} else {
		p.isNotReady("Restoring", "backup "+name+" is being restored")
	}
	p.run(backup.Version, true)
	if p.Children.Steps.Ready(job.Name) {
		p.status.RestoredFrom, p.status.CurrentVersion, p.status.FailedVersion = name, backup.Version, ""
	}
	return true, nil
}

func (p *plan) findBackup(name string) (v1alpha1.ExampleAppStatusBackupBackup, bool) {
	if p.status.Backup != nil {
		for _, backup := range p.status.Backup.Backups {
			if backup.Name == name {
				return backup, true
			}
		}
	}
	return v1alpha1.ExampleAppStatusBackupBackup{}, false
}
