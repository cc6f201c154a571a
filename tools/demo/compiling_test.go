package main

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestCountPackages(t *testing.T) {
	const printed = "go: downloading k8s.io/api v0.37.2\nfmt\nk8s.io/api/core/v1\ngo build -o bin/manager .\n=== RUN   TestSync\nPASS\nok  \texample.com/echo-operator\t0.01s\n"
	if got := countPackages(printed); got != 2 {
		t.Errorf("%d packages, expected fmt and k8s.io/api/core/v1", got)
	}
	if done, total := countedPackages("compiling 381 of 2360 packages"); done != 381 || total != 2360 {
		t.Errorf("%d of %d packages, expected 381 of 2360", done, total)
	}
	if done, total := countedPackages("downloading modules (12)"); done != 0 || total != 0 {
		t.Errorf("%d of %d packages of a download", done, total)
	}
}

func TestPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p pace
		for _, sample := range []struct {
			after    time.Duration
			done     int
			expected string
		}{
			{0, 0, ""},
			{29 * time.Second, 100, ""}, // soon
			{time.Second, 100, ", about 2 min to go"},
			{60 * time.Second, 400, ", less than a minute to go"}, // 100 in the first 30 s, 300 in the next 60 s
			{60 * time.Second, 410, ", about 9 min to go"},        // 10 in the last minute: what was before does not count
			{time.Second, 500, ""},
		} {
			time.Sleep(sample.after)
			if got := p.estimate(sample.done, 500); got != sample.expected {
				t.Errorf("%d packages are done: %q, expected %q", sample.done, got, sample.expected)
			}
		}
	})
}
