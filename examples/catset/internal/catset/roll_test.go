package catset

import (
	"slices"
	"testing"
)

func TestARollGoesDownOneByOne(t *testing.T) {
	c := startReady(t, 3)
	c.image("2")
	c.stays("1 1 2 -")
	c.ready(2)
	c.runs("1 2 2 -")
	c.Restart()
	c.stays("1 2 2 -")
	c.ready(1)
	c.stays("2 2 2 -")
	c.ready(0)
	c.atRest()
	if got := c.deleted(); got != "tom-2 tom-1 tom-0" {
		t.Errorf("these Pods were deleted: %s", got)
	}
}

func TestAScaleDownGoesBeforeTheRoll(t *testing.T) {
	c := startReady(t, 4)
	c.image("2")
	c.stays("1 1 1 2")
	c.scale(2)
	c.runs("1 2 - -") // the broken one is not needed any more; then the roll goes on
	if got := c.deleted(); got != "tom-3 tom-3 tom-2 tom-1" {
		t.Errorf("these Pods were deleted: %s", got)
	}
	c.ready(1)
	c.runs("2 2 - -")
	c.ready(0)
	c.atRest()
}

func TestNoPodRollsWhileAnotherLeaves(t *testing.T) {
	c := startReady(t, 3)
	c.holdBack(2)
	c.scale(2)
	c.leaving(2)
	c.image("2")
	c.stays("1 1 1 -")
	c.letGo(2)
	c.stays("1 2 - -")
	c.ready(1)
	c.ready(1)
	c.runs("2 2 - -")
	c.ready(0)
	c.atRest()
}

func TestABadTemplateIsTakenBack(t *testing.T) {
	c := startReady(t, 3)
	others := c.uids(0, 1)
	c.image("broken")
	c.stays("1 1 broken -")
	c.image("1")
	c.stays("1 1 1 -")
	c.ready(2)
	c.atRest()
	if got := c.uids(0, 1); !slices.Equal(got, others) {
		t.Error("a Pod that was right was replaced")
	}
}

func TestATemplateThatWasBadFromTheStartIsMended(t *testing.T) {
	c := start(t, 2)
	c.image("broken")
	c.stays("broken - - -")
	c.image("2")
	c.stays("2 - - -")
	c.ready(0, 1)
	c.atRest()
}
