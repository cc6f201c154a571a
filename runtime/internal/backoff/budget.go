package backoff

import (
	"time"
)

// Conflict is why the repetition of a write is delayed: what was written does not last.
type Conflict struct {
	Manager   string    // who changes the object, as managedFields says
	Paths     []string  // what is changed
	Deleted   bool      // somebody deletes the object
	Expired   bool      // the object is a Job that deletes itself
	Returns   bool      // Sync itself returns to what it desired before
	Recreates bool      // Sync itself wants the object recreated
	Retry     time.Time // when the next write is due
}

// Budget meters the writes to one object. The zero value has spent nothing.
type Budget struct {
	state    string // the desired state that the rest is about
	repeated int
	last     time.Time // of the repetitions
	conflict *Conflict // while the next one waits
	failed   *Failed   // the last write, if it failed

	conflicts int       // attempts in a row that met one
	attempted time.Time // when the last one was that failed, or met one
}

// State returns the desired state that the budget is about.
func (b *Budget) State() string { return b.state }

// SetState makes the budget one of another desired state, which starts with a full one.
func (b *Budget) SetState(state string) {
	if b.state != state {
		*b = Budget{state: state}
	}
}

// ReturnTo makes the budget one of a desired state that was there before, for which what
// is spent counts, too.
func (b *Budget) ReturnTo(state string) {
	if b.state != state {
		b.state, b.failed, b.conflict = state, nil, nil
	}
}

// Repeated returns how many repetitions were counted.
func (b *Budget) Repeated() int { return b.repeated }

// Spend counts a repetition.
func (b *Budget) Spend(now time.Time) {
	if b.IsCalm(now) {
		b.repeated = 0
	}
	b.repeated++
	b.last, b.conflict = now, nil
}

// Refusal returns the error of the last write, if the API server has refused it; nil if it has not,
// and for an error that often passes by itself.
func (b *Budget) Refusal() error {
	if b.failed == nil || IsTransient(b.failed.Err) {
		return nil
	}
	return b.failed.Err
}

// Due returns when the next repetition may be made.
func (b *Budget) Due() time.Time { return b.last.Add(Writes.Wait(b.repeated)) }

// IsCalm reports whether the last repetition has lasted for so long that the next one
// does not belong to it.
func (b *Budget) IsCalm(now time.Time) bool {
	return b.conflict == nil && now.Sub(b.last) >= max(Writes.Calm, Writes.Wait(b.repeated))
}

// Delay returns why the next repetition is delayed; nil when it is due. explain is called
// once for each wait, to name who makes it necessary.
func (b *Budget) Delay(now time.Time, explain func() (Conflict, error)) (*Conflict, error) {
	if b.IsCalm(now) || !now.Before(b.Due()) {
		return nil, nil
	}
	if b.conflict == nil {
		conflict, err := explain()
		if err != nil {
			return nil, err
		}
		conflict.Retry = b.Due()
		b.conflict = &conflict
	}
	return b.conflict, nil
}

// IsDelayed reports whether the next repetition was delayed.
func (b *Budget) IsDelayed() bool { return b.conflict != nil }

// IsIdle reports whether the budget is as good as a new one.
func (b *Budget) IsIdle(now time.Time) bool {
	abandoned := now.Sub(b.attempted) > 2*Writes.Longest
	return b.IsCalm(now) && (b.failed == nil && b.conflicts == 0 || abandoned)
}
