package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// print writes one table for each number of parents, how figures grow between them, and which requests there were.
func (b *bench) print(out io.Writer, workers int) {
	where := "a fresh control plane on the same machine"
	if b.clusters.given != nil {
		where = "the cluster of KUBECONFIG, whose own controllers may run"
	}
	fmt.Fprintf(out, "Medians of %d rounds, taking turns, each against %s", b.rounds, where)
	fmt.Fprintf(out, ". Idle time %s, with a resync every %s; %d changes timed one by one.", b.idle, b.resync(), b.changes)
	if workers > 0 {
		fmt.Fprintf(out, " The floor is fastest with %d workers.", workers)
	}
	if !b.clusters.controllers && b.clusters.given == nil {
		fmt.Fprint(out, " Kubernetes' own controllers stood still meanwhile.")
	}
	fmt.Fprintln(out)
	for _, size := range b.sizes {
		b.printSize(out, size)
	}
	b.printGrowth(out)
	b.printRequests(out)
}

func (b *bench) printSize(out io.Writer, size int) {
	v := b.results.of(size)
	fmt.Fprintf(out, "\n## %d parents\n\n| |", size)
	for _, c := range b.contenders {
		fmt.Fprintf(out, " %s |", c.title)
	}
	fmt.Fprintf(out, " opgen / hand-written | opgen / floor | target |\n|---|%s---|---|---|\n", strings.Repeat("---|", len(b.contenders)))
	for _, r := range rows {
		fmt.Fprintf(out, "| %s |", r.text)
		for _, c := range b.contenders {
			fmt.Fprintf(out, " %s |", r.cell(v, c.key))
		}
		for _, other := range []string{careful, floor} {
			if ratio, ok := v.ratio(r.key, opgen, other); ok {
				fmt.Fprintf(out, " %.2f |", ratio)
			} else {
				fmt.Fprint(out, " |")
			}
		}
		fmt.Fprintf(out, " %s |\n", r.compareTargets(v))
	}
}

// cell is the median of a row, with the least and the most if they differ.
func (r row) cell(v values, contender string) string {
	samples := slices.Clone(v.all[contender][r.key])
	if len(samples) == 0 {
		return "–"
	}
	for i := range samples {
		samples[i] /= max(r.scale, 1)
	}
	middle, least, most := format(median(samples), r.digits), format(slices.Min(samples), r.digits), format(slices.Max(samples), r.digits)
	if least == most {
		return middle
	}
	return fmt.Sprintf("%s (%s–%s)", middle, least, most)
}

// printGrowth compares each number of parents with the one before.
func (b *bench) printGrowth(out io.Writer) {
	sizes := slices.Sorted(slices.Values(b.sizes))
	for i := 1; i < len(sizes); i++ {
		small, large := b.results.of(sizes[i-1]), b.results.of(sizes[i])
		fmt.Fprintf(out, "\n## Growth from %d to %d parents\n\n| |", sizes[i-1], sizes[i])
		for _, c := range b.contenders {
			fmt.Fprintf(out, " %s |", c.title)
		}
		fmt.Fprintf(out, " target |\n|---|%s---|\n", strings.Repeat("---|", len(b.contenders)))
		per := float64(sizes[i-1]) / float64(sizes[i])
		for _, r := range []struct {
			key, text string
			factor    float64
		}{{"cold.cpu", "CPU per parent, cold start", per}, {"cpu", "CPU per parent, all processes", per}, {"pass.time", "time of a reconcile that changes nothing", 1}} {
			fmt.Fprintf(out, "| %s |", r.text)
			result := ""
			for _, c := range b.contenders {
				before, ok := small.get(c.key, r.key)
				after, known := large.get(c.key, r.key)
				if !ok || !known || before == 0 {
					fmt.Fprint(out, " – |")
					continue
				}
				growth := after / before * r.factor
				fmt.Fprintf(out, " %.2f× |", growth)
				if c.key == opgen && sizes[i-1] >= 1000 {
					result = target{text: "≤ 1.10×", most: 1.1}.describe(growth)
				}
			}
			fmt.Fprintf(out, " %s |\n", result)
		}
	}
}

// printRequests lists what requests there were per parent and round.
func (b *bench) printRequests(out io.Writer) {
	fmt.Fprintf(out, "\n## Requests by verb, resource and answer\n")
	for _, size := range b.sizes {
		fmt.Fprintf(out, "\n%d parents, per round:\n\n", size)
		for _, c := range b.contenders {
			parts := b.requests[size][c.key]
			for _, part := range slices.Sorted(maps.Keys(parts)) {
				var all []string
				for _, what := range slices.Sorted(maps.Keys(parts[part])) {
					all = append(all, fmt.Sprintf("%s × %.4g", what, float64(parts[part][what])/float64(b.rounds)))
				}
				fmt.Fprintf(out, "- %s, %s: %s\n", c.title, part, strings.Join(all, ", "))
			}
		}
	}
}
