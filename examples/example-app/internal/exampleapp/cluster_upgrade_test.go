package exampleapp

import (
	"strings"
	"testing"
)

func TestClusterUpgrade(t *testing.T) {
	i := start(t, nil)
	i.wants("2.0.0")
	i.is("2.0.0", "UpToDate")
	i.runs("2.0.0")
	i.Gone(job("shop-before-2-0-0"), job("shop-migrate-2-0-0"))
	i.ends()
}

// TestClusterUpgradeRollsBack desires a version whose image no node can pull.
func TestClusterUpgradeRollsBack(t *testing.T) {
	i := start(t, nil)
	i.wants("broken")
	i.Exists(job("shop-migrate-broken"))
	i.MakeFailed(job("shop-migrate-broken"))
	i.is("1.0.0", "RolledBack")
	i.runs("1.0.0")
	if !strings.Contains(i.app.Status.LastError, "its migration failed") {
		t.Errorf("the last error is %q", i.app.Status.LastError)
	}
	i.Gone(job("shop-undo-broken"))
	i.Converged(i.app)
	i.wants("1.0.0")
	i.is("1.0.0", "UpToDate")
	i.ends()
}

// TestClusterUpgradeWithoutAnOperator kills the operator in the middle of an upgrade. The next one goes on.
func TestClusterUpgradeWithoutAnOperator(t *testing.T) {
	i := start(t, nil)
	i.wants("2.0.0")
	i.Exists(job("shop-before-2-0-0"))
	i.Crash()
	i.Restart()
	i.is("2.0.0", "UpToDate")
	i.ends()
}
