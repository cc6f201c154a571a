package exampleapp

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/opgen-dev/opgen/runtime/operator"

	"example.com/example-app/api/v1alpha1"
)

// upgrade decides which version runs, and reports whether an upgrade is going on. The first version is just
// installed. An upgrade that has begun comes to an end, by success or by a roll-back, before another begins.
func (p *plan) upgrade() (isGoingOn bool) {
	target, status := p.Parent.Spec.AppVersion, p.status
	served, isServing := p.servedVersion()
	if status.CurrentVersion == "" && isServing {
		status.CurrentVersion = served
	}
	switch {
	case status.CurrentVersion == "":
		p.run(target, false)
		return false
	case status.Upgrade != nil:
	case target == status.CurrentVersion:
		status.FailedVersion = ""
		p.run(target, false)
		return false
	case target == status.FailedVersion: // it stays rolled back until another version is desired
		p.run(status.CurrentVersion, false)
		return false
	default:
		status.FailedVersion = ""
		status.Upgrade = &v1alpha1.ExampleAppStatusUpgrade{Version: target, StartedAt: metav1.Time{Time: p.Now}}
	}
	if status.Upgrade.RollingBack {
		p.rollBack()
	} else {
		p.continueUpgrade()
	}
	if status.Upgrade != nil { // all children are ready while the application is stopped, and it is not
		p.isNotReady("Upgrading", "from "+status.CurrentVersion+" to "+status.Upgrade.Version)
	}
	return true
}

// continueUpgrade stops the application, backs its data up, migrates the data, and runs the new version. The
// upgrade is over when that serves.
func (p *plan) continueUpgrade() {
	current, target := p.status.CurrentVersion, p.status.Upgrade.Version
	deadline := p.status.Upgrade.StartedAt.Add(p.Parent.Spec.UpgradeDeadline.Duration)
	before, migrate := beforeJob(p.Parent, current, target), migrateJob(p.Parent, target)

	if reason := p.reasonToRollBack(deadline); reason != "" {
		p.status.Upgrade.RollingBack = true
		p.status.LastError = fmt.Sprintf("version %s was rolled back: %s", target, reason)
		p.rollBack()
		return
	}
	p.response.RequeueAt(p.Now, deadline)
	isMigrated := p.Children.Steps.Ready(migrate.Name)
	if _, hasBegun := p.Children.Steps.Get(before.Name); hasBegun || p.isStopped() {
		p.want.Steps.Add(before)
	}
	if p.Children.Steps.Ready(before.Name) {
		p.want.Steps.Add(migrate)
	}
	if !isMigrated {
		p.run(current, true)
		return
	}
	p.run(target, false)
	if served, isServing := p.servedVersion(); isServing && served == target {
		p.status.CurrentVersion, p.status.Upgrade = target, nil // the Jobs go when the status says so
	}
}

// reasonToRollBack says why an upgrade is given up, or nothing.
func (p *plan) reasonToRollBack(deadline time.Time) string {
	target := p.status.Upgrade.Version
	if p.Parent.Spec.AppVersion != target {
		return "another version is desired"
	}
	for step, name := range map[string]string{
		"the backup before it": beforeJob(p.Parent, "", target).Name,
		"its migration":        migrateJob(p.Parent, target).Name,
	} {
		if failure, hasFailed := p.Children.Steps.Failed(name); hasFailed {
			return step + " failed: " + failure.Message
		}
	}
	if !p.Now.Before(deadline) {
		return "it did not serve in time"
	}
	return ""
}

// rollBack stops the application, puts the data back that it had before the upgrade, and runs the version of
// before. Without a complete backup, nothing has changed the data.
func (p *plan) rollBack() {
	current, target := p.status.CurrentVersion, p.status.Upgrade.Version
	before, undo := beforeJob(p.Parent, current, target), undoJob(p.Parent, current, target)
	if p.Children.Steps.Ready(before.Name) {
		p.want.Steps.Add(before)
		if _, hasBegun := p.Children.Steps.Get(undo.Name); hasBegun || p.isStopped() {
			p.want.Steps.Add(undo, operator.Replaces(migrateJob(p.Parent, target)))
		}
		if !p.Children.Steps.Ready(undo.Name) {
			p.run(current, true)
			return
		}
	}
	p.run(current, false)
	if served, isServing := p.servedVersion(); isServing && served == current {
		p.status.FailedVersion, p.status.Upgrade = target, nil
	}
}
