package backoff

import (
	"slices"
	"testing"
	"time"
)

func TestAnswersThatAskForThePastBackOff(t *testing.T) {
	var p PastTimes
	view := View{Parent: "1"}
	var waits []time.Duration
	for range 8 {
		waits = append(waits, p.Add(view, view, false))
	}
	want := []time.Duration{time.Millisecond, 10 * time.Second, 20 * time.Second, 40 * time.Second, 80 * time.Second, 160 * time.Second, 5 * time.Minute, 5 * time.Minute}
	if !slices.Equal(waits, want) || !p.IsHot() {
		t.Errorf("waits are %v, want %v", waits, want)
	}
	if wait := p.Add(view, View{Parent: "2"}, true); wait != time.Millisecond || p.IsHot() {
		t.Errorf("after progress the wait is %s", wait)
	}
	p.Add(View{Parent: "2"}, View{Parent: "2"}, false)
	if wait := p.Add(View{Parent: "3"}, view, false); wait != time.Millisecond || p.IsHot() {
		t.Errorf("after somebody's change the wait is %s", wait)
	}
}
