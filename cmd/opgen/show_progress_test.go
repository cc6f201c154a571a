package main

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"
)

func TestShowAfter(t *testing.T) {
	for name, tc := range map[string]struct {
		takes time.Duration
		want  string
	}{
		"soon over":  {1900 * time.Millisecond, ""},
		"long":       {2900 * time.Millisecond, "\r\033[Kgenerating, 2s\r\033[K"},
		"longer yet": {3900 * time.Millisecond, "\r\033[Kgenerating, 2s\r\033[Kgenerating, 3s\r\033[K"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var out bytes.Buffer
				done := showAfter(2*time.Second, &out, "generating")
				time.Sleep(tc.takes)
				done()
				if out.String() != tc.want {
					t.Errorf("shows %q, want %q", out.String(), tc.want)
				}
			})
		})
	}
}
