package main

import (
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"
)

// formatTable returns the table of the examples. What was not measured is a dash.
func formatTable(rows []*row) string {
	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "EXAMPLE\tSPEC\tCODE\tORIGINAL\tGENERATED\tREQUESTS\tSECONDS\tRESULT\t")
	for _, r := range rows {
		seconds := "-"
		if r.result != "" {
			seconds = strconv.FormatFloat(r.seconds, 'f', 0, 64)
		}
		result := r.result
		if result == "" {
			result = "-"
		}
		fmt.Fprintf(w, "%s\t%d\t%d\t%s\t%d\t%s\t%s\t%s\t\n", r.name(), r.spec, r.code,
			numberOrDash(originals[r.name()].lines), r.generated, numberOrDash(r.toConverge), seconds, result)
	}
	w.Flush()
	return text.String()
}

func numberOrDash(n int) string {
	if n == 0 {
		return "-"
	}
	return strconv.Itoa(n)
}
