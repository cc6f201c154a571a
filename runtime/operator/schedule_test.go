package operator

import (
	"errors"
	"slices"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// TestSchedule has a fake clock: created and last are what the parent says, now
// is the time of the reconcile.
func TestSchedule(t *testing.T) {
	for _, tc := range []struct {
		given            string
		cron, zone       string
		created, last    string
		now              string
		options          []ScheduleOption
		tick, next, name string
		missed           int
	}{
		{given: "nothing is due yet", cron: "0 * * * *", created: "2026-05-01T10:20:00Z", now: "2026-05-01T10:40:00Z", next: "2026-05-01T11:00:00Z"},
		{given: "the first tick after the creation", cron: "0 * * * *", created: "2026-05-01T10:20:00Z", now: "2026-05-01T11:00:00Z",
			tick: "2026-05-01T11:00:00Z", next: "2026-05-01T12:00:00Z", name: "backup-29627220"},
		{given: "a tick that has run", cron: "0 * * * *", created: "2026-05-01T10:20:00Z", last: "2026-05-01T11:00:00Z", now: "2026-05-01T11:00:30Z", next: "2026-05-01T12:00:00Z"},
		{given: "several missed ticks are one run", cron: "0 * * * *", last: "2026-05-01T01:00:00Z", now: "2026-05-01T11:10:00Z",
			tick: "2026-05-01T11:00:00Z", next: "2026-05-01T12:00:00Z", missed: 9, name: "backup-29627220"},
		{given: "a year of missed seconds", cron: "@every 1s", last: "2025-05-01T00:00:00Z", now: "2026-05-01T00:00:01.5Z",
			tick: "2026-05-01T00:00:01Z", next: "2026-05-01T00:00:02Z", missed: 100, name: "backup-1777593601"},
		{given: "a late tick that is skipped", cron: "0 * * * *", last: "2026-05-01T01:00:00Z", now: "2026-05-01T11:10:00Z",
			options: []ScheduleOption{SkipLate(5 * time.Minute)}, next: "2026-05-01T12:00:00Z"},
		{given: "a tick that is not too late", cron: "0 * * * *", last: "2026-05-01T01:00:00Z", now: "2026-05-01T11:05:00Z",
			options: []ScheduleOption{SkipLate(5 * time.Minute)}, tick: "2026-05-01T11:00:00Z", next: "2026-05-01T12:00:00Z", missed: 9, name: "backup-29627220"},
		{given: "a time zone", cron: "30 2 * * *", zone: "Europe/Berlin", last: "2026-01-10T01:30:00Z", now: "2026-01-11T03:00:00Z",
			tick: "2026-01-11T01:30:00Z", next: "2026-01-12T01:30:00Z", name: "backup-29468250"},
		{given: "the hour that daylight saving leaves out", cron: "30 2 * * *", zone: "Europe/Berlin", last: "2026-03-28T01:30:00Z", now: "2026-03-29T12:00:00Z",
			tick: "2026-03-29T01:00:00Z", next: "2026-03-30T00:30:00Z", name: "backup-29579100"},
		{given: "the hour that daylight saving repeats", cron: "30 2 * * *", zone: "Europe/Berlin", last: "2027-10-30T00:30:00Z", now: "2027-10-31T12:00:00Z",
			tick: "2027-10-31T00:30:00Z", next: "2027-11-01T01:30:00Z", name: "backup-30415710"},
		{given: "a day that no year has", cron: "0 0 30 2 *", last: "2026-01-01T00:00:00Z", now: "2026-03-29T12:00:00Z"},
		{given: "a clock behind the last tick", cron: "0 * * * *", last: "2026-05-01T11:00:00Z", now: "2026-05-01T10:59:00Z", next: "2026-05-01T11:00:00Z"},
	} {
		t.Run(tc.given, func(t *testing.T) {
			req := &Request[*corev1.ConfigMap, struct{}, struct{}]{
				Parent: &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{CreationTimestamp: metav1.NewTime(instant(t, tc.created))}},
				Now:    instant(t, tc.now),
			}
			got, err := req.Schedule(tc.cron, tc.zone, &metav1.Time{Time: instant(t, tc.last)}, tc.options...)
			if err != nil {
				t.Fatal(err)
			}
			if want := instant(t, tc.tick); !got.Tick.Time.Equal(want) || got.Due() != (tc.tick != "") {
				t.Errorf("tick: got %v, want %v", got.Tick, want)
			}
			if want := instant(t, tc.next); !got.Next.Equal(want) {
				t.Errorf("next: got %v, want %v", got.Next, want)
			} else if tc.next != "" && got.Wait != want.Sub(req.Now) {
				t.Errorf("wait: got %v", got.Wait)
			}
			if got.Missed != tc.missed {
				t.Errorf("missed: got %d, want %d", got.Missed, tc.missed)
			}
			if name := got.Name("backup"); name != tc.name {
				t.Errorf("name: got %q, want %q", name, tc.name)
			}
		})
	}
}

func instant(t *testing.T, text string) time.Time {
	t.Helper()
	if text == "" {
		return time.Time{}
	}
	parsed, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

func TestScheduleErrors(t *testing.T) {
	for _, tc := range []struct{ cron, zone, want string }{
		{"every day", "", `schedule "every day": expected exactly 5 fields, found 2: [every day]`},
		{"0 0 * * *", "Mars/Olympus", `time zone "Mars/Olympus" is not in the IANA database`},
		{"0 0 * * *", "Local", `time zone "Local" is not in the IANA database`},
		{"CRON_TZ=UTC 0 0 * * *", "", `schedule "CRON_TZ=UTC 0 0 * * *": a schedule cannot contain a time zone: set the time zone separately`},
	} {
		req := &Request[*corev1.ConfigMap, struct{}, struct{}]{Parent: new(corev1.ConfigMap)}
		_, err := req.Schedule(tc.cron, tc.zone, nil)
		if err == nil || !errors.Is(err, reconcile.TerminalError(nil)) {
			t.Fatalf("%s: got %v, want a terminal error", tc.cron, err)
		}
		if got := err.Error(); got != "terminal error: "+tc.want {
			t.Errorf("got %q, want %q", got, tc.want)
		}
	}
}

// TestRuns goes through a crash between the creation of a run and the status:
// the run for the tick keeps its name, and stays.
func TestRuns(t *testing.T) {
	job := func(name string, age time.Duration, condition batchv1.JobConditionType) *batchv1.Job {
		j := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: name, CreationTimestamp: metav1.NewTime(time.Unix(1e9, 0).Add(-age))}}
		if condition != "" {
			j.Status.Conditions = []batchv1.JobCondition{{Type: condition, Status: corev1.ConditionTrue}}
		}
		return j
	}
	runs := NewSnapshot(
		job("a", 5*time.Hour, batchv1.JobComplete), job("b", 4*time.Hour, ""), job("c", 3*time.Hour, batchv1.JobFailed),
		job("d", 2*time.Hour, batchv1.JobComplete), job("e", time.Hour, batchv1.JobSuspended),
	)
	for limit, want := range map[History][]string{
		{Succeeded: -1, Failed: -1}: {"b", "e"}, {}: {"b", "e"},
		{Succeeded: 1}: {"b", "e", "d"}, {Failed: 1}: {"b", "e", "c"}, {Succeeded: 1, Failed: 3}: {"b", "e", "d", "c"},
		{Succeeded: 9, Failed: 9}: {"b", "e", "d", "a", "c"},
	} {
		if got := Runs(runs, limit); !slices.Equal(got, want) {
			t.Errorf("limit %+v: got %v, want %v", limit, got, want)
		}
	}
	pods := NewSnapshot(
		&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "x", Name: "done"}, Status: corev1.PodStatus{Phase: corev1.PodSucceeded}},
		&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "x", Name: "runs"}, Status: corev1.PodStatus{Phase: corev1.PodRunning}},
	)
	if got := Runs(pods, History{}); !slices.Equal(got, []string{"x/runs"}) {
		t.Errorf("got %v", got)
	}
}
