package main

import (
	"testing"
	"time"
)

func TestCompareTargets(t *testing.T) {
	v := values{all: map[string]map[string][]float64{
		careful: {"rate": {100, 120, 110}, "cpu": {2}, "requests": {4.3}},
		single:  {"rate": {50}},
		naive:   {"rate": {115}},
		floor:   {"rate": {200}},
		opgen:   {"rate": {112, 113, 90}, "cpu": {2.1}, "requests": {4}},
	}}
	for _, test := range []struct {
		row  row
		want string
	}{
		{row{key: "requests", targets: []target{exactly(4)}}, "4.00: met"},
		{row{key: "requests", targets: []target{exactly(3.999)}}, "4.00: **not met**"},
		{row{key: "rate", targets: rates}, "≥ 1.00× best hand-written: **not met** (0.97×); ≥ 1.60× 1 worker: met (2.24×); ≥ 0.85× floor: **not met** (0.56×)"},
		{row{key: "cpu", targets: []target{asHandWritten}}, "≤ 1.00× hand-written: **not met** (1.05×)"},
		{row{key: "cpu", targets: []target{largest(exactly(3))}}, ""},
		{row{key: "unmeasured", targets: []target{exactly(0)}}, ""},
	} {
		if got := test.row.compareTargets(v); got != test.want {
			t.Errorf("%s:\n got %s\nwant %s", test.row.key, got, test.want)
		}
	}
}

func TestQuantile(t *testing.T) {
	var all []time.Duration
	for i := range 200 {
		all = append(all, time.Duration(200-i))
	}
	for part, want := range map[float64]time.Duration{0.5: 101, 0.99: 199, 1: 200} {
		if got := quantile(all, part); got != want {
			t.Errorf("quantile %g is %d, want %d", part, got, want)
		}
	}
}
