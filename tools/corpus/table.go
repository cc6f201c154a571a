package main

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// table is what came out for every CRD.
type table struct {
	crds     []result
	findings []string // what fell short, one line each
	progress *progress
}

// result is what came out for one CRD.
type result struct {
	name             string // plural.group, numbered where several files have it
	equal, vets      bool
	verbatim         bool   // the spec has a schema with more than keywords of OpenAPI
	whole            int    // random objects that came through their Go types unharmed
	sampled          bool   // the samples came through their Go types as they were
	unfound          string // why no valid object was found, empty where one was
	subject          subject
	gaps             string // what markers cannot express; empty: controller-gen must make the same CRD
	generated        bool   // it does
	open             int    // nodes that hold anything in Go although their schema has a type
	structs, objects int    // struct types, distinct schemas of objects
	leaves, short    int    // fields without fields, and those in the shorthand
}

func (t *table) addFailure(format string, args ...any) {
	t.findings = append(t.findings, fmt.Sprintf(format, args...))
}

// row is a line of the table; one without a target is only reported.
type row struct {
	what, result, target string
	good                 bool
}

func (t *table) rows() []row {
	var structs, objects, leaves, short, open int
	for _, c := range t.crds {
		open += c.open
		structs, objects = structs+c.structs, objects+c.objects
		leaves, short = leaves+c.leaves, short+c.short
	}
	verbatim := t.countResults(func(c result) bool { return c.verbatim })
	return []row{
		t.rowOfAll("CRD → spec → CRD is equal", func(c result) bool { return c.equal }),
		t.rowOfAll("generated Go compiles and vets", func(c result) bool { return c.vets }),
		t.foundRow(),
		t.comeThrough(),
		t.rowOfAll("samples come back from the Go types as they were", func(c result) bool { return c.sampled }),
		{"nodes that are open in Go although typed in the schema", fmt.Sprint(open), "0", open == 0},
		{"CRDs that need a verbatim schema fragment", fmt.Sprint(verbatim), "0", verbatim == 0},
		t.sameCRDRow(),
		t.rowOfAll("controller-gen makes the same CRD but for what markers cannot say", func(c result) bool { return c.generated }),
		{"Go struct types ÷ distinct object schemas", formatRatio(structs, objects), "≤ 1.05", 100*structs <= 105*objects},
		{"leaf fields in the shorthand", formatPercent(short, leaves), "", true},
	}
}

// rowOfAll returns the row of what must be true of every CRD.
func (t *table) rowOfAll(what string, good func(result) bool) row {
	n, all := t.countResults(good), len(t.crds)
	return row{what, fmt.Sprintf("%d of %d", n, all), fmt.Sprintf("%d of %d", all, all), n == all}
}

// mostUnfound is for how many CRDs it may be that no valid object is found; each is listed with the
// reason.
const mostUnfound = 3

// foundRow returns the row of the CRDs that valid objects were found for.
func (t *table) foundRow() row {
	all := len(t.crds)
	n := t.countResults(func(c result) bool { return c.unfound == "" })
	return row{"valid objects are found", fmt.Sprintf("%d of %d", n, all), fmt.Sprintf("all but %d", mostUnfound), all-n <= mostUnfound}
}

// comeThrough returns the row of the CRDs whose objects come back from their Go types as they were.
func (t *table) comeThrough() row {
	all := t.countResults(func(c result) bool { return c.unfound == "" })
	n := t.countResults(func(c result) bool { return c.unfound == "" && c.whole == objectsOfEach })
	what := fmt.Sprintf("%d random objects come through the Go types whole", objectsOfEach)
	return row{what, fmt.Sprintf("%d of %d", n, all), fmt.Sprintf("%d of %d", all, all), n == all}
}

// sameCRDRow returns the row of the CRDs that controller-gen must make without any exception.
func (t *table) sameCRDRow() row {
	all := t.countResults(func(c result) bool { return c.vets && c.gaps == "" })
	n := t.countResults(func(c result) bool { return c.vets && c.gaps == "" && c.generated })
	return row{"controller-gen makes the same CRD where markers can say all", fmt.Sprintf("%d of %d", n, all), "100 %", n == all}
}

func (t *table) countResults(good func(result) bool) int {
	n := 0
	for _, c := range t.crds {
		if good(c) {
			n++
		}
	}
	return n
}

func (t *table) isGood() bool {
	for _, r := range t.rows() {
		if !r.good {
			return false
		}
	}
	return len(t.findings) == 0
}

func (t *table) print(w io.Writer) {
	for _, finding := range t.findings {
		fmt.Fprintln(w, finding)
	}
	for _, c := range t.crds {
		if c.unfound != "" {
			fmt.Fprintf(w, "%s: %s\n", c.name, c.unfound)
		}
		if c.gaps != "" {
			fmt.Fprintf(w, "%s: no marker expresses %s\n", c.name, c.gaps)
		}
	}
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "ROW\tRESULT\tTARGET\t")
	for _, r := range t.rows() {
		mark := ""
		if !r.good {
			mark = "falls short"
		}
		target := r.target
		if target == "" {
			target = "reported"
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\n", r.what, r.result, target, mark)
	}
	tw.Flush()
}

func formatRatio(a, b int) string {
	if b == 0 {
		return "none"
	}
	return fmt.Sprintf("%d ÷ %d = %.2f", a, b, float64(a)/float64(b))
}

func formatPercent(part, all int) string {
	if all == 0 {
		return "none"
	}
	return fmt.Sprintf("%d of %d = %.1f %%", part, all, 100*float64(part)/float64(all))
}
