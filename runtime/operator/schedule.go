package operator

import (
	"cmp"
	"fmt"
	"strings"
	"time"
	_ "time/tzdata" // so that time zones are known in images that have no database of them

	"github.com/robfig/cron/v3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// Schedule says what a cron expression asks for at the time of a reconcile.
//
// It is made for runs that are children, each under a name that derives from
// the tick it is for, and recorded by [WhenApplied]: then neither a crash between
// the creation of a run and the write of a status nor a run that is refused, or
// waits for another child, loses a run or repeats one.
//
//	schedule, err := req.Schedule(spec.Schedule, spec.TimeZone, status.LastRun)
//	if err != nil {
//		return nil, err
//	}
//	if schedule.Due() {
//		job := jobFor(schedule.Name(parent.Name))
//		want.Jobs.Add(job, operator.CreateOnly, operator.WhenApplied(func(response *Response) {
//			response.Status.LastRun = &schedule.Tick
//		}))
//	}
//	want.Jobs.Keep(operator.Runs(req.Children.Jobs, operator.History{Succeeded: 3, Failed: 1})...)
//	return &Response{Children: want, Status: &status, RequeueAfter: schedule.Wait}, nil
type Schedule struct {
	// Tick is the latest tick that is due and was not run, as a status has it; zero: none is.
	Tick metav1.Time
	// Missed is how many earlier ticks were due, too, and are passed over:
	// however many ticks an operator that was down has missed, it catches up
	// with one run. It counts to 100 at the most.
	Missed int
	// Next is the first tick after now; zero: there is none in five years.
	Next time.Time
	// Wait is the time until Next, for [Response.RequeueAfter]. If there are other times to wait
	// for, give Next to [Response.RequeueAt].
	Wait time.Duration
}

// ScheduleOption changes what [Request.Schedule] makes of missed ticks.
type ScheduleOption func(*scheduling)

type scheduling struct{ late time.Duration }

// SkipLate passes over a tick that is later than this, instead of catching up
// with it.
func SkipLate(than time.Duration) ScheduleOption {
	return func(s *scheduling) { s.late = than }
}

// Schedule says what is due of a cron expression (five fields, or @hourly,
// @daily, @weekly, @monthly, @yearly, @every 90s, which counts from 1970) in an IANA time zone such as
// Europe/Berlin; UTC if that is empty. When the clocks are moved, a tick at a fixed hour comes once: the first time,
// or as soon as they have moved if they leave it out. With a star in the hour, it comes as often as the clocks show it. last is the tick of the latest run, as
// the parent's status has it; when it is nil, ticks count from the creation of
// the parent. An expression or a zone that is none is a terminal error: only a
// change of the parent can mend it.
func (r *Request[P, C, R]) Schedule(expression, timeZone string, last *metav1.Time, options ...ScheduleOption) (Schedule, error) {
	var how scheduling
	for _, option := range options {
		option(&how)
	}
	from := r.Parent.GetCreationTimestamp().Time
	if !last.IsZero() {
		from = last.Time
	}
	ticks, err := parseSchedule(expression, timeZone)
	if err != nil {
		return Schedule{}, err
	}
	return scheduleAt(ticks, from, r.Now, how), nil
}

// ticker gives the first tick after a time, zero if there is none.
type ticker func(after time.Time) time.Time

func parseSchedule(expression, timeZone string) (ticker, error) {
	zone, err := time.LoadLocation(cmp.Or(timeZone, "UTC"))
	if err != nil || timeZone == "Local" {
		return nil, reconcile.TerminalError(fmt.Errorf("time zone %q is not in the IANA database", timeZone))
	}
	if strings.Contains(expression, "TZ=") {
		return nil, reconcile.TerminalError(fmt.Errorf("schedule %q: a schedule cannot contain a time zone: set the time zone separately", expression))
	}
	parsed, err := cron.ParseStandard(expression)
	if err != nil {
		return nil, reconcile.TerminalError(fmt.Errorf("schedule %q: %w", expression, err))
	}
	if every, ok := parsed.(cron.ConstantDelaySchedule); ok {
		return tickEvery(every.Delay), nil
	}
	return wallClock{parsed, zone, hasFixedHour(expression)}.next, nil
}

// tickEvery returns a ticker that ticks at the multiples of a duration since 1970, so that ticks do not
// depend on when a reconcile happens to run.
func tickEvery(every time.Duration) ticker {
	return func(after time.Time) time.Time {
		return time.Unix(0, (after.UnixNano()/int64(every)+1)*int64(every)).UTC()
	}
}

// maxMissed is how many missed ticks are counted.
const maxMissed = 100

func scheduleAt(next ticker, last, now time.Time, how scheduling) Schedule {
	var s Schedule
	if s.Next = next(now); !s.Next.IsZero() {
		s.Wait = s.Next.Sub(now)
	}
	from := last
	if how.late > 0 && from.Before(now.Add(-how.late)) {
		from = now.Add(-how.late).Add(-time.Nanosecond) // a tick that is just as late is due
	}
	first := next(from)
	if first.IsZero() || first.After(now) {
		return s
	}
	s.Tick = metav1.NewTime(latestTick(next, first, now))
	for tick := next(last); tick.Before(s.Tick.Time) && s.Missed < maxMissed; tick = next(tick) {
		s.Missed++
	}
	return s
}

// latestTick returns the last tick that is not after now, of those from first on.
// It halves the time between them, since ticks can only be followed forwards,
// and there may be a great many.
func latestTick(next ticker, first, now time.Time) time.Time {
	tick, end := first, now
	for {
		following := next(tick)
		if following.IsZero() || following.After(now) {
			return tick
		}
		tick = following
		if middle := tick.Add(end.Sub(tick) / 2); middle.After(tick) {
			if jump := next(middle); !jump.IsZero() && !jump.After(now) {
				tick = jump
			} else {
				end = middle
			}
		}
	}
}

// Due reports whether a run is to be made now.
func (s Schedule) Due() bool { return !s.Tick.IsZero() }

// Name is the name of the run for the tick that is due: the prefix and the
// minute of the tick since 1970, as a CronJob names its Jobs; or the second, of
// a schedule that ticks within minutes. It is empty when nothing is due. It has at
// most 63 characters, as the name of a Job: a longer prefix is shortened by [Shorten].
func (s Schedule) Name(prefix string) string {
	if !s.Due() {
		return ""
	}
	tick := s.Tick.Unix()
	if tick%60 == 0 {
		tick /= 60
	}
	suffix := fmt.Sprintf("-%d", tick)
	return Shorten(prefix, 63-len(suffix)) + suffix
}
