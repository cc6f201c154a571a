package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// printTable prints a line for each project, and below it what each of them has to say.
func printTable(to io.Writer, rows []row) {
	table := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "project\tcommit\tinit\twarnings\tbuild, vet, check\tCRDs of the code\ttaken\tleft out, named\tin silence\tas before: equal · limits · newer · differ\tas controller-gen: equal · limits · newer · differ")
	for _, r := range rows {
		if r.refused != "" {
			fmt.Fprintf(table, "%s\t%s\trefuses\t\t\t\t\t\t\t\t\n", r.name, r.commit)
			continue
		}
		failed := "pass"
		switch {
		case !r.built:
			failed = "not tried"
		case len(r.failures) > 0:
			failed = fmt.Sprintf("%d fail", len(r.failures))
		}
		fmt.Fprintf(table, "%s\t%s\tpasses\t%d\t%s\t%d\t%d\t%d\t%d\t%s\t%s\n", r.name, r.commit, r.warnings, failed,
			len(r.code), len(r.taken), len(r.named), len(r.silent), r.before, r.now)
	}
	_ = table.Flush() // to is a terminal, or a file that the caller looks at
	for _, r := range rows {
		printDetails(to, r)
	}
}

// String returns the counts of a comparison.
func (c comparison) String() string {
	if c.equal+len(c.tighter)+len(c.newer)+len(c.differ) == 0 {
		return "none"
	}
	return fmt.Sprintf("%d · %d · %d · %d", c.equal, len(c.tighter), len(c.newer), len(c.differ))
}

// printDetails prints what stands behind the numbers of a project.
func printDetails(to io.Writer, r row) {
	print := func(title string, lines []string) {
		for _, line := range lines {
			fmt.Fprintf(to, "  %s: %s\n", title, line)
		}
	}
	fmt.Fprintf(to, "\n%s\n", r.name)
	if r.refused != "" {
		print("init", strings.Split(firstLines(r.refused, 12), " | "))
	}
	print("fails", r.failures)
	print("left out, named", r.named)
	print("left out in silence", r.silent)
	print("differs from the CRD that the project had", r.before.differ)
	print("differs from controller-gen's", r.now.differ)
	print("only in config/crd/bases", r.before.foreign)
}
