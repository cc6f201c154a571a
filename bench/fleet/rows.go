package main

import (
	"fmt"
	"math"
	"strings"
)

// row is a figure that is measured of each contender.
type row struct {
	key     string
	text    string
	digits  int
	scale   float64 // what is printed is the figure divided by this; zero means one
	targets []target
}

// target is what opgen's figure should be.
type target struct {
	text    string
	against string // the contender whose figure it is measured against; best for the best hand-written one
	most    float64
	least   float64
	largest bool // only with the largest number of parents
}

const best = "best"

// exactly is a figure of opgen's own. Counts are whole requests, so a thousandth is none.
func exactly(n float64) target { return target{text: format(n, 2), most: n + 0.0005} }

// asHandWritten is at most what the hand-written operator has.
var asHandWritten = target{text: "≤ 1.00× hand-written", against: careful, most: 1}

func atLeast(against string, factor float64, text string) target {
	return target{text: "≥ " + format(factor, 2) + "× " + text, against: against, least: factor}
}

func largest(t target) target {
	t.largest = true
	return t
}

var rates = []target{
	atLeast(best, 1.0, "best hand-written"), atLeast(single, 1.6, "1 worker"), atLeast(floor, 0.85, "floor"),
}

// rows are printed in this order.
var rows = []row{
	{key: "live.requests", text: "requests per new parent, live", digits: 3, targets: []target{exactly(4)}},
	{key: "live.conflicts", text: "of these refused with 409", digits: 3, targets: []target{exactly(0)}},
	{key: "cold.requests", text: "requests per new parent, cold start", digits: 3, targets: []target{exactly(4)}},
	{key: "cold.conflicts", text: "of these refused with 409", digits: 3, targets: []target{exactly(0)}},
	{key: "restart.requests", text: "requests over a restart, all converged", targets: []target{exactly(0)}},
	{key: "restart.lists", text: "initial lists and watches beside them"},
	{key: "idle.requests", text: "requests over the idle time with resyncs", targets: []target{exactly(0)}},
	{key: "idle.passes", text: "reconciles of each parent in that time", digits: 1, targets: []target{{text: "≥ 1", least: 1}}},
	{key: "change.requests", text: "requests per parent to change one child", digits: 3, targets: []target{exactly(2)}},
	{key: "repair.requests", text: "requests to repair a deleted child", digits: 3, targets: []target{exactly(1)}},
	{key: "cold.rate", text: "parents/s, cold start, from the start of the process", targets: rates},
	{key: "cold.writing", text: "parents/s, cold start, from the first write"},
	{key: "live.rate", text: "parents/s, live, created by 10 clients at once", targets: rates[:2]},
	{key: "change.rate", text: "parents/s, changed by 10 clients at once"},
	{key: "latency.p50", text: "ms from a spec change to the child's, p50", digits: 2, targets: []target{asHandWritten}},
	{key: "latency.p99", text: "the same, p99", digits: 2, targets: []target{asHandWritten}},
	{key: "repair.p50", text: "ms from a child's deletion to the new one, p50", digits: 2},
	{key: "cpu", text: "CPU seconds of all processes of the contender", digits: 2, targets: []target{largest(asHandWritten)}},
	{key: "cold.cpu", text: "of these: cold start", digits: 2},
	{key: "restart.cpu", text: "of these: restart and idle time", digits: 2},
	{key: "live.cpu", text: "of these: live", digits: 2},
	{key: "memory", text: "peak RSS, MiB", scale: 1 << 20, targets: []target{largest(asHandWritten)}},
	{key: "cold.memory", text: "peak RSS of the cold start, MiB", scale: 1 << 20},
	{key: "pass.time", text: "µs per reconcile that changes nothing (of the resyncs)"},
	{key: "pass.cpu", text: "CPU µs per such reconcile (of the whole process, while idle)"},
	{key: "apiserver.cpu", text: "CPU ms of kube-apiserver per parent, cold start", digits: 2},
	{key: "etcd.cpu", text: "CPU ms of etcd per parent, cold start", digits: 2},
	{key: "others", text: "processors busy with other work, cold start", digits: 2},
}

// compareTargets says how opgen's figure meets the targets of a row, in the order of the targets.
func (r row) compareTargets(v values) string {
	var said []string
	for _, t := range r.targets {
		if t.largest && !v.last {
			continue
		}
		value, ok := v.get(opgen, r.key)
		if t.against != "" {
			other := t.against
			if other == best {
				other = v.best(r.key)
			}
			value, ok = v.ratio(r.key, opgen, other)
		}
		if ok {
			said = append(said, t.describe(value))
		}
	}
	return strings.Join(said, "; ")
}

func (t target) describe(value float64) string {
	if math.IsNaN(value) || t.most > 0 && value > t.most || value < t.least {
		return t.text + ": **not met**" + t.have(value)
	}
	return t.text + ": met" + t.have(value)
}

func (t target) have(value float64) string {
	if t.against == "" {
		return ""
	}
	return fmt.Sprintf(" (%.2f×)", value)
}
