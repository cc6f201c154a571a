package exampleapp

import (
	"strings"
	"testing"
	"time"

	"github.com/opgen-dev/opgen/runtime/operatortest"
	"k8s.io/apimachinery/pkg/api/meta"
)

func TestUpgrade(t *testing.T) {
	l := installed(t, nil)
	l.app.Spec.AppVersion = "2.0.0"
	l.sim.Converged()
	l.runs("1.0.0", 0) // it stops before anything touches the data
	l.says("1.0.0", "Upgrading")
	l.serves()
	l.sim.Expect(operatortest.Case[Request, Response]{Check: func(t testing.TB, got *Response) {
		if !meta.IsStatusConditionFalse(got.Conditions, "Ready") {
			t.Errorf("it does not say that the stopped application is not ready: %v", got.Conditions)
		}
	}})
	l.runs("1.0.0", 0, "shop-before-2-0-0")
	l.ends("shop-before-2-0-0")
	l.runs("1.0.0", 0, "shop-before-2-0-0", "shop-migrate-2-0-0")
	l.ends("shop-migrate-2-0-0")
	l.runs("2.0.0", 1, "shop-before-2-0-0", "shop-migrate-2-0-0")
	l.says("1.0.0", "Upgrading") // until it serves
	l.serves()
	l.says("2.0.0", "UpToDate")
	l.runs("2.0.0", 1)
}

func TestUpgradeRollsBack(t *testing.T) {
	for reason, fail := range map[string]func(*life){
		"its migration failed":       func(l *life) { l.sim.MakeFailed(job("shop-migrate-2-0-0")) },
		"it did not serve in time":   func(l *life) { l.ends("shop-migrate-2-0-0"); l.sim.Advance(10 * time.Minute) },
		"another version is desired": func(l *life) { l.app.Spec.AppVersion = "1.0.0" },
	} {
		t.Run(reason, func(t *testing.T) {
			l := installed(t, nil)
			l.app.Spec.AppVersion = "2.0.0"
			l.sim.Converged()
			l.serves()
			l.ends("shop-before-2-0-0")
			fail(l)
			l.sim.Converged()
			l.serves() // it stops, if it ran
			l.runs("1.0.0", 0, "shop-before-2-0-0", "shop-undo-2-0-0")
			l.ends("shop-undo-2-0-0")
			l.runs("1.0.0", 1, "shop-before-2-0-0", "shop-undo-2-0-0")
			l.serves()
			l.runs("1.0.0", 1)
			if l.app.Spec.AppVersion == "1.0.0" {
				l.says("1.0.0", "UpToDate")
				return
			}
			l.says("1.0.0", "RolledBack")
			l.sim.Expect(operatortest.Case[Request, Response]{Check: func(t testing.TB, got *Response) {
				if !strings.Contains(got.Status.LastError, "version 2.0.0 was rolled back: "+reason) {
					t.Errorf("the last error is %q", got.Status.LastError)
				}
			}})
			// Another version is tried, and so is the same one once another has been desired.
			l.app.Spec.AppVersion = "2.0.1"
			l.sim.Converged()
			l.says("1.0.0", "Upgrading")
		})
	}
}

// Without a complete backup, no migration has begun: the version of before just goes on.
func TestUpgradeRollsBackWithoutABackup(t *testing.T) {
	l := installed(t, nil)
	l.app.Spec.AppVersion = "2.0.0"
	l.sim.Converged()
	l.serves()
	l.sim.MakeFailed(job("shop-before-2-0-0"))
	l.sim.Converged()
	l.serves()
	l.runs("1.0.0", 1)
	l.says("1.0.0", "RolledBack")
}
