package main

import (
	"fmt"
	"io"
)

// row is what an entry of related Secrets cost.
type row struct {
	entry            string
	secrets, parents int
	requests, reads  int   // at the start: all, and live reads of Secrets
	idle             int   // requests in the idle time
	watches          int   // open at the end
	memory, peak     int64 // resident, in bytes
}

// printRows prints a table. Memory is beside that of an operator that reads no Secrets.
func printRows(out io.Writer, rows []row) {
	fmt.Fprintln(out, "| Secrets | Parents | Entry | Requests at the start | of them reads of Secrets | Requests at idle | Open watches | RSS | Peak |")
	fmt.Fprintln(out, "|---|---|---|---|---|---|---|---|---|")
	var base row
	for _, r := range rows {
		if r.entry == "none" {
			base = r
		}
		fmt.Fprintf(out, "| %d | %d | %s | %d | %d | %d | %d | %s | %s |\n", r.secrets, r.parents, r.entry, r.requests, r.reads, r.idle, r.watches,
			megabytes(r.memory, base.memory), megabytes(r.peak, base.peak))
	}
}

func megabytes(bytes, base int64) string {
	return fmt.Sprintf("%.1f MiB (%+.1f)", float64(bytes)/(1<<20), float64(bytes-base)/(1<<20))
}
