package operator

import (
	"archive/zip"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// allZones returns the time zones whose clocks differ from 2020 to 2030, and when each moves its clocks.
func allZones(t *testing.T) map[string][]time.Time {
	t.Helper()
	root, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatalf("go env GOROOT: %v", err)
	}
	archive, err := zip.OpenReader(filepath.Join(strings.TrimSpace(string(root)), "lib", "time", "zoneinfo.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	moves, known := map[string][]time.Time{}, map[string]bool{}
	for _, file := range archive.File {
		zone, err := time.LoadLocation(file.Name)
		if err != nil || strings.HasSuffix(file.Name, "/") {
			continue
		}
		var all []time.Time
		text := ""
		for at := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC); at.Year() <= 2030; {
			_, offset := at.In(zone).Zone()
			text += fmt.Sprint(at.Unix(), " ", offset, ",")
			_, end := at.In(zone).ZoneBounds()
			if end.IsZero() || end.Year() > 2030 {
				break
			}
			at = end
			all = append(all, at)
		}
		if !known[text] {
			known[text], moves[file.Name] = true, all
		}
	}
	if len(moves) < 50 {
		t.Fatalf("%d zones", len(moves))
	}
	return moves
}

// ticksBetween returns all ticks of a schedule from a time on, and before another one.
func ticksBetween(t *testing.T, expression, zone string, from, to time.Time) (ticks []time.Time) {
	t.Helper()
	next, err := parseSchedule(expression, zone)
	if err != nil {
		t.Fatal(err)
	}
	for tick := next(from.Add(-time.Nanosecond)); !tick.IsZero() && tick.Before(to); tick = next(tick) {
		if len(ticks) > 0 && !tick.After(ticks[len(ticks)-1]) || len(ticks) > 10_000 {
			t.Fatalf("%q in %s: %s follows %d ticks, the last at %s", expression, zone, tick, len(ticks), ticks[len(ticks)-1])
		}
		ticks = append(ticks, tick)
	}
	return ticks
}

// Around each move of the clocks in any zone, each day has one run of "M H * * *", at that time of day if the clocks show it.
func TestAFixedTimeOfDayTicksOnceADay(t *testing.T) {
	for name, moves := range allZones(t) {
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, move := range moves {
			day := move.In(zone)
			from, to := time.Date(day.Year(), day.Month(), day.Day()-2, 12, 0, 0, 0, zone), time.Date(day.Year(), day.Month(), day.Day()+2, 12, 0, 0, 0, zone)
			for minute := 0; minute < 24*60; minute += 15 {
				expression, days := fmt.Sprintf("%d %d * * *", minute%60, minute/60), map[string]int{}
				for _, tick := range ticksBetween(t, expression, name, from, to) {
					local := tick.In(zone)
					days[local.Format(time.DateOnly)]++
					shown := local.Hour()*60 + local.Minute()
					if shown != minute && !local.Equal(move) && (minute < 23*60 || !local.Equal(move.Add(-time.Minute))) {
						t.Errorf("%q in %s ticks at %s", expression, name, local)
					}
					if again := tick.Add(-time.Hour).In(zone); again.Hour()*60+again.Minute() == minute {
						t.Errorf("%q in %s ticks at %s, when the clocks show it again", expression, name, local)
					}
				}
				for at := from.AddDate(0, 0, 1); at.Before(to.Add(-24 * time.Hour)); at = at.AddDate(0, 0, 1) {
					if date := at.Format(time.DateOnly); days[date] != 1 {
						t.Errorf("%q in %s ticks %d times on %s", expression, name, days[date], date)
					}
				}
			}
			if t.Failed() {
				return
			}
		}
	}
}

// What counts time goes on through the move: each half hour has its tick.
func TestAStarInTheHourTicksAsTheClocksShowIt(t *testing.T) {
	for name, moves := range allZones(t) {
		for _, move := range moves[:min(len(moves), 1)] {
			from, to := move.Add(-5*time.Hour), move.Add(5*time.Hour)
			for expression, isTick := range map[string]func(time.Time) bool{
				"*/30 * * * *": func(at time.Time) bool { return at.Minute()%30 == 0 },
				"@hourly":      func(at time.Time) bool { return at.Minute() == 0 },
				"15 */2 * * *": func(at time.Time) bool { return at.Minute() == 15 && at.Hour()%2 == 0 },
			} {
				ticks := ticksBetween(t, expression, name, from, to)
				for at := from.In(must(time.LoadLocation(name))); at.Before(to); at = at.Add(15 * time.Minute) {
					if slices.ContainsFunc(ticks, at.Equal) != isTick(at) {
						t.Fatalf("%q in %s: a tick at %s: expected %v", expression, name, at, isTick(at))
					}
				}
			}
		}
	}
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// Looking back finds the tick that looking forward has found, at every moment of the nights.
func TestScheduleAgreesWithItselfInBothDirections(t *testing.T) {
	for _, zone := range []string{"Europe/Berlin", "America/Santiago", "Asia/Beirut", "Africa/Cairo", "America/Havana", "Australia/Lord_Howe", "Antarctica/Troll", "America/Nuuk", "Africa/Casablanca"} {
		moves := allMoves(zone)
		if len(moves) == 0 {
			t.Fatalf("%s does not move its clocks", zone)
		}
		for _, move := range moves[:min(2, len(moves))] {
			for _, expression := range []string{"30 2 * * *", "0 0 * * *", "45 1 * * *", "@daily", "@hourly", "*/20 * * * *", "0,30 0-3 * * *", "15 1,2,3 * * 0,6", "@every 50m", "0 */2 * * *"} {
				from := move.Add(-30 * time.Hour)
				ticks := ticksBetween(t, expression, zone, from, move.Add(30*time.Hour))
				next := must(parseSchedule(expression, zone))
				for now := move.Add(-6 * time.Hour); now.Before(move.Add(6 * time.Hour)); now = now.Add(7 * time.Minute) {
					s := scheduleAt(next, from.Add(-time.Nanosecond), now, scheduling{})
					passed := slices.IndexFunc(ticks, now.Before)
					if passed < 0 {
						passed = len(ticks)
					}
					if last := (time.Time{}); passed > 0 && !s.Tick.Time.Equal(ticks[passed-1]) || passed == 0 && !s.Tick.Time.Equal(last) {
						t.Fatalf("%q in %s at %s: the tick is %s of %v", expression, zone, now, s.Tick, ticks)
					}
					if passed < len(ticks) && !s.Next.Equal(ticks[passed]) {
						t.Fatalf("%q in %s at %s: next is %s of %v", expression, zone, now, s.Next, ticks)
					}
					if s.Missed != max(0, min(passed-1, maxMissed)) {
						t.Fatalf("%q in %s at %s: %d missed of %d", expression, zone, now, s.Missed, passed)
					}
					if late := scheduleAt(next, from.Add(-time.Nanosecond), now, scheduling{late: time.Hour}); late.Due() != (passed > 0 && now.Sub(ticks[passed-1]) <= time.Hour) {
						t.Fatalf("%q in %s at %s: skipping late ticks finds %s", expression, zone, now, late.Tick)
					}
				}
			}
		}
	}
}

// allMoves returns when a zone moves its clocks in 2027.
func allMoves(name string) (moves []time.Time) {
	zone := must(time.LoadLocation(name))
	for at := time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC); ; {
		_, end := at.In(zone).ZoneBounds()
		if end.IsZero() || end.Year() > 2027 {
			return moves
		}
		at = end
		moves = append(moves, at)
	}
}

// The nights by name, as the documentation has them.
func TestNightsOfTimeChange(t *testing.T) {
	for _, test := range []struct {
		zone, cron, from string
		want             []string
	}{
		{"Europe/Berlin", "30 2 * * *", "2027-10-30T12:00:00Z", []string{"2027-10-31T02:30:00+02:00", "2027-11-01T02:30:00+01:00"}},
		{"Europe/Berlin", "30 2 * * *", "2027-03-27T12:00:00Z", []string{"2027-03-28T03:00:00+02:00", "2027-03-29T02:30:00+02:00"}},
		{"Europe/Berlin", "0 2,3 * * *", "2027-03-27T12:00:00Z", []string{"2027-03-28T03:00:00+02:00", "2027-03-29T02:00:00+02:00"}},
		{"Europe/Berlin", "*/30 2 * * *", "2027-10-30T12:00:00Z", []string{"2027-10-31T02:00:00+02:00", "2027-10-31T02:30:00+02:00", "2027-11-01T02:00:00+01:00"}},
		{"Europe/Berlin", "*/30 * * * *", "2027-10-31T00:00:00Z", []string{"2027-10-31T02:30:00+02:00", "2027-10-31T02:00:00+01:00", "2027-10-31T02:30:00+01:00", "2027-10-31T03:00:00+01:00"}},
		{"America/Santiago", "@daily", "2027-09-04T12:00:00Z", []string{"2027-09-05T01:00:00-03:00", "2027-09-06T00:00:00-03:00"}},
		{"America/Havana", "@daily", "2027-11-06T12:00:00Z", []string{"2027-11-07T00:00:00-04:00", "2027-11-08T00:00:00-05:00"}},
		{"Australia/Lord_Howe", "45 1 * * *", "2027-04-03T00:00:00Z", []string{"2027-04-04T01:45:00+11:00", "2027-04-05T01:45:00+10:30"}},
		{"Australia/Lord_Howe", "15 2 * * *", "2027-10-02T00:00:00Z", []string{"2027-10-03T02:30:00+11:00", "2027-10-04T02:15:00+11:00"}},
	} {
		next := must(parseSchedule(test.cron, test.zone))
		at := instant(t, test.from)
		for _, want := range test.want {
			if at = next(at); !at.Equal(instant(t, want)) {
				t.Errorf("%q in %s: got %s, expected %s", test.cron, test.zone, at, want)
			}
		}
	}
}
