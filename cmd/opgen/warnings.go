package main

import (
	"fmt"
	"io"

	"github.com/opgen-dev/opgen/internal/spec"
)

// printWarnings prints the first warning of each sort in each file, and how many more of it there
// are. For example, a file with one floating point number often has a dozen.
func printWarnings(w io.Writer, all spec.Problems) {
	type sort struct {
		file    string
		warning spec.Warning
	}
	more := map[sort]int{}
	for _, p := range all {
		more[sort{p.Pos.File, p.Warning}]++
	}
	for _, p := range all {
		of := sort{p.Pos.File, p.Warning}
		count := more[of]
		if count == 0 {
			continue // only the first is printed
		}
		more[of] = 0
		fmt.Fprintf(w, "warning: %v\n", p)
		if count > 1 {
			fmt.Fprintf(w, "    and %d more like it; ", count-1)
		} else {
			fmt.Fprint(w, "    ")
		}
		fmt.Fprintf(w, "if it is meant: acceptWarnings: [%s]\n", p.Warning)
	}
}
