package operator

import (
	"strings"
	"time"

	"github.com/robfig/cron/v3"
)

// maxShift is more than any time zone moves its clocks at once.
const maxShift = 4 * time.Hour

// wallClock ticks when the clocks of a time zone show what a cron expression says. The expression is read without a
// zone, and each time of day that it names is looked for in the zone:
//
//	the hour is fixed      a time of day that comes twice ticks the first time; one that the clocks leave out ticks
//	                       when they have moved, or a minute before if that is another day
//	the hour has a star    it ticks whenever the clocks show it: twice, or not at all
type wallClock struct {
	cron.Schedule
	zone  *time.Location
	fixed bool
}

// hasFixedHour reports whether a cron expression says at which hours it ticks.
func hasFixedHour(expression string) bool {
	fields := strings.Fields(expression)
	if len(fields) < 5 {
		return expression != "@hourly"
	}
	return !strings.ContainsAny(fields[1], "*?")
}

// next returns the first tick after a time, zero if there is none.
func (w wallClock) next(after time.Time) (first time.Time) {
	shift := maxShift
	if w.offset(after.Add(-maxShift)) == w.offset(after.Add(maxShift)) {
		shift = 0
	}
	shown := after.UTC().Add(w.offset(after))
	for tick := w.Next(shown.Add(-shift)); !tick.IsZero() && tick.Before(shown.AddDate(5, 0, 0)); tick = w.Next(tick) {
		for _, at := range w.times(tick) {
			if at.After(after) && (first.IsZero() || at.Before(first)) {
				first = at
			}
		}
		if !first.IsZero() && tick.Sub(first.Add(w.offset(first))) >= shift {
			break
		}
	}
	return first
}

// times returns when the clocks show a time of day, which is given in UTC.
func (w wallClock) times(shown time.Time) (all []time.Time) {
	near := shown.Add(-w.offset(shown))
	before, after := w.offset(near.Add(-maxShift)), w.offset(near.Add(maxShift))
	for _, offset := range []time.Duration{before, after} {
		if at := shown.Add(-offset).In(w.zone); w.offset(at) == offset && (len(all) == 0 || !all[0].Equal(at)) {
			all = append(all, at)
		}
	}
	switch {
	case !w.fixed:
		return all
	case len(all) == 0:
		moved, _ := shown.Add(-before).In(w.zone).ZoneBounds()
		if moved.Day() != shown.Day() { // the last hour of a day is left out
			moved = moved.Add(-time.Minute)
		}
		return []time.Time{moved}
	}
	return all[:1]
}

// offset returns how far the clocks are ahead of UTC.
func (w wallClock) offset(at time.Time) time.Duration {
	_, seconds := at.In(w.zone).Zone()
	return time.Duration(seconds) * time.Second
}
