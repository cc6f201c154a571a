package main

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"
)

func TestStatus(t *testing.T) {
	const clear = "\r\033[K"
	for name, test := range map[string]struct {
		terminal bool
		takes    time.Duration
		expected string
	}{
		"terminal, soon over":  {true, 1900 * time.Millisecond, "done\n"},
		"terminal, long":       {true, 3500 * time.Millisecond, "        2 s so far; more" + clear + "        3 s so far; more" + clear + "done\n"},
		"elsewhere, soon over": {false, 9 * time.Second, "done\n"},
		"elsewhere, long":      {false, 21 * time.Second, "        10 s so far; more\n        20 s so far; more\ndone\n"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var out bytes.Buffer
				s := &screen{out: &out, terminal: test.terminal}
				hide := s.showStatus(func() string { return "; more" })
				time.Sleep(test.takes)
				hide()
				s.print("done")
				if out.String() != test.expected {
					t.Errorf("got %q, expected %q", out.String(), test.expected)
				}
			})
		})
	}
}
