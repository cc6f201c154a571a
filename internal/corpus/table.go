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
}

// result is what came out for one CRD.
type result struct {
	name             string // plural.group, numbered where several files have it
	equal, vets      bool
	verbatim         bool // the spec has a schema with more than keywords of OpenAPI
	whole            int  // random objects that came through their Go types unharmed
	subject          subject
	unsaid           string // what markers cannot say; empty: controller-gen must make the same CRD
	generated        bool   // it does
	open             int    // nodes that hold anything in Go although their schema has a type
	structs, objects int    // struct types, distinct schemas of objects
	leaves, short    int    // fields without fields, and those in the shorthand
}

func (t *table) fail(format string, args ...any) {
	t.findings = append(t.findings, fmt.Sprintf(format, args...))
}

// row is a line of the table; one without a target is only reported.
type row struct {
	what, result, target string
	good                 bool
}

func (t *table) rows() []row {
	var equal, vets, whole, open, verbatim, sayable, generated, structs, objects, leaves, short int
	for _, c := range t.crds {
		if c.equal {
			equal++
		}
		if c.vets {
			vets++
		}
		if c.whole == objectsOfEach {
			whole++
		}
		open += c.open
		if c.vets && c.unsaid == "" {
			sayable++
		}
		if c.generated {
			generated++
		}
		if c.verbatim {
			verbatim++
		}
		structs, objects = structs+c.structs, objects+c.objects
		leaves, short = leaves+c.leaves, short+c.short
	}
	all := len(t.crds)
	every := fmt.Sprintf("%d of %d", all, all)
	return []row{
		{"CRD → spec → CRD is equal", fmt.Sprintf("%d of %d", equal, all), every, equal == all},
		{"generated Go compiles and vets", fmt.Sprintf("%d of %d", vets, all), every, vets == all},
		{fmt.Sprintf("%d random objects come through the Go types", objectsOfEach), fmt.Sprintf("%d of %d", whole, all), every, whole == all},
		{"open in Go although typed in the schema", fmt.Sprint(open), "0", open == 0},
		{"need a verbatim schema fragment", fmt.Sprint(verbatim), "0", verbatim == 0},
		{"controller-gen makes the same CRD where markers can say it", fmt.Sprintf("%d of %d", generated, sayable), fmt.Sprintf("%d of %d", sayable, sayable), generated == sayable},
		{"Go struct types ÷ distinct object schemas", ratio(structs, objects), "≤ 1.05", 100*structs <= 105*objects},
		{"leaf fields in the shorthand", percent(short, leaves), "", true},
	}
}

func (t *table) good() bool {
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

func ratio(a, b int) string {
	if b == 0 {
		return "none"
	}
	return fmt.Sprintf("%d ÷ %d = %.2f", a, b, float64(a)/float64(b))
}

func percent(part, all int) string {
	if all == 0 {
		return "none"
	}
	return fmt.Sprintf("%d of %d = %.1f %%", part, all, 100*float64(part)/float64(all))
}
