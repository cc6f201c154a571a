package main

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"
)

// table is what is printed in the end.
type table struct{ parts []part }

// part is one comparison: its rows, and what follows from them.
type part struct {
	title string
	rows  []row
	facts []fact
}

// fact is a figure with its target; no target is for what is only reported.
type fact struct {
	text   string
	value  string
	target string
	met    bool
}

func (t *table) add(title string, rows []row, facts ...fact) {
	t.parts = append(t.parts, part{title, rows, facts})
}

// skip notes a comparison that could not be made.
func (t *table) skip(title, reason string) {
	t.parts = append(t.parts, part{title: title, facts: []fact{{text: "skipped", value: reason}}})
}

// factor is how many times a takes what b takes, with the most that it should be.
func factor(text string, a, b int64, most float64) fact {
	ratio := float64(a) / float64(b)
	return fact{text: text, value: fmt.Sprintf("%.2f", ratio), target: fmt.Sprintf("at most %g", most), met: ratio <= most}
}

// share is which part of b a takes, with the most that it should be: 1/part.
func share(text string, a, b time.Duration, part float64) fact {
	ratio := float64(b) / float64(a)
	return fact{text: text, value: fmt.Sprintf("1/%.1f", ratio), target: fmt.Sprintf("1/%g or less", part), met: ratio >= part}
}

func (t *table) print(out io.Writer, runs int) {
	w := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	fmt.Fprintf(w, "medians of %d runs, taking turns\twall\t(least to most)\tprocessor\tpeak memory\n", runs)
	for _, p := range t.parts {
		fmt.Fprintf(w, "\n%s\n", p.title)
		for _, r := range p.rows {
			_, least, most := r.median(func(s sample) int64 { return int64(s.wall) })
			fmt.Fprintf(w, "  %s\t%.0f ms\t(%.0f to %.0f)\t%.0f ms\t%.0f MB\n", r.name,
				ms(r.wall()), ms(time.Duration(least)), ms(time.Duration(most)), ms(r.cpu()), float64(r.memory())/1e6)
		}
		for _, f := range p.facts {
			switch {
			case f.target == "":
				fmt.Fprintf(w, "  = %s: %s\n", f.text, f.value)
			case f.met:
				fmt.Fprintf(w, "  = %s: %s (%s: met)\n", f.text, f.value, f.target)
			default:
				fmt.Fprintf(w, "  = %s: %s (%s: NOT MET)\n", f.text, f.value, f.target)
			}
		}
	}
	w.Flush()
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
