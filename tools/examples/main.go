// Examples tests the operators in examples/ against one API server, several at once, and prints a table of them: how many
// lines their authors have written, what the original of another framework has, how many requests a parent costs until it
// has converged, and whether all tests pass.
//
//	go run ./tools/examples                     # all examples, against the API server of OPGEN_TEST_KUBECONFIG
//	go run ./tools/examples -parallel 1 examples/catset examples/echo-server
//	go run ./tools/examples -count              # count the lines, and run nothing
//
// An example passes if opgen check finds its generated files as they should be, its tests pass, and they use each
// permission of its roles. make testrun builds what shows the tests.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

func main() {
	parallel := flag.Int("parallel", runtime.NumCPU(), "how many examples are tested at once")
	count := flag.Bool("count", false, "count the lines, and run nothing")
	flag.Parse()
	folders := flag.Args()
	if len(folders) == 0 {
		folders, _ = filepath.Glob("examples/*/opgen.yaml") // the pattern is valid
		for i := range folders {
			folders[i] = filepath.Dir(folders[i])
		}
	}
	rows, err := countAll(folders)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	if !*count {
		runAll(rows, *parallel)
	}
	fmt.Print(formatTable(rows))
	for _, r := range rows {
		if r.result == failed {
			os.Exit(1)
		}
	}
}
