package apply

import (
	"context"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Contested is a drift or a deletion that is not repaired at once, since it came
// back after repairs.
type Contested struct {
	Manager string    // who changes the child, as managedFields says
	Paths   []string  // what we lost
	Deleted bool      // the child is deleted, by whom nobody knows
	Retry   time.Time // when the next repair is due
}

// fight counts the repairs of a child whose desired state stays the same.
type fight struct {
	repairs  int
	last     time.Time  // of the repairs
	held     *Contested // while the next one is held back
	replaced types.UID  // of the child that was replaced last
}

const (
	atOnce    = 2 // repairs, before the next is held back
	calm      = time.Minute
	firstHold = 10 * time.Second
	lastHold  = 5 * time.Minute
)

// wait is how long the next repair waits after the last.
func (f *fight) wait() time.Duration {
	wait := firstHold
	for range min(f.repairs-atOnce, 5) {
		wait *= 2
	}
	return min(wait, lastHold)
}

// over tells whether the repair has held for so long that the drift is another
// affair.
func (f *fight) over(now time.Time) bool {
	return f.held == nil && now.Sub(f.last) >= max(calm, f.wait())
}

// contend brings a child back to its desired state by repair, or holds back if
// that was of no use before.
func (a *Applier) contend(ctx context.Context, now time.Time, memo *Memo, d Desired, live client.Object,
	repair func(context.Context, time.Time, *Memo, Desired, client.Object) (Outcome, error),
) (Outcome, error) {
	fighting := memo.fightOf(d)
	if fighting == nil || fighting.over(now) {
		fighting = new(fight)
	}
	known := fighting.held != nil || fighting.replaced == live.GetUID() // so that a drift counts once
	held, err := a.hold(ctx, now, d, live, fighting)
	if err != nil {
		return Outcome{}, err
	}
	if held != nil {
		return Outcome{Action: Unchanged, Object: live, Drift: !known, Contested: held}, nil
	}
	outcome, err := repair(ctx, now, memo, d, live)
	if err != nil {
		return outcome, err
	}
	switch outcome.Action {
	case Updated, Adopted:
		fighting.repaired(now)
	case Replace:
		if fighting.replaced != live.GetUID() {
			fighting.repaired(now)
		}
		fighting.replaced = live.GetUID()
	}
	if last := memo.last(d.Key()); last != nil {
		last.fight = fighting
	}
	outcome.Drift = !known
	return outcome, nil
}

// missed returns what making a child anew waits for; nil when that is due. One that
// exists, although it is out of sight, is the affair of contend.
func (a *Applier) missed(ctx context.Context, now time.Time, memo *Memo, d Desired) (*Contested, error) {
	f := memo.fightOf(d)
	if f == nil || f.over(now) || f.due(now) {
		return nil, nil
	}
	if last := memo.last(d.Key()); last.removed || f.replaced == last.uid {
		return nil, nil
	}
	if f.held == nil {
		err := a.Live.Get(ctx, d.Name, a.New())
		if !apierrors.IsNotFound(err) {
			return nil, err
		}
		f.held = &Contested{Deleted: true, Retry: f.retry()}
	}
	return f.held, nil
}

// remade counts that a child was made anew which somebody else had deleted.
func (m *Memo) remade(now time.Time, d Desired) *fight {
	last, fighting := m.last(d.Key()), m.fightOf(d)
	if last == nil || last.desired != d.Hash || last.removed || fighting != nil && fighting.replaced == last.uid {
		return fighting
	}
	if fighting == nil || fighting.over(now) {
		fighting = new(fight)
	}
	fighting.repaired(now)
	return fighting
}

func (f *fight) retry() time.Time { return f.last.Add(f.wait()) }

// due tells whether a repair needs to wait no longer.
func (f *fight) due(now time.Time) bool { return f.repairs < atOnce || !now.Before(f.retry()) }

func (f *fight) repaired(now time.Time) {
	f.repairs++
	f.last, f.held = now, nil
}

// hold returns what a repair waits for; nil when it is due.
func (a *Applier) hold(ctx context.Context, now time.Time, d Desired, live client.Object, f *fight) (*Contested, error) {
	if f.due(now) || f.replaced == live.GetUID() {
		return nil, nil
	}
	if f.held == nil {
		manager, paths, err := a.rival(ctx, d, live)
		if err != nil {
			return nil, err
		}
		f.held = &Contested{Manager: manager, Paths: paths, Retry: f.retry()}
	}
	return f.held, nil
}
