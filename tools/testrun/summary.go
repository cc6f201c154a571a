package main

import (
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"gotest.tools/gotestsum/testjson"
)

// summarize prints a summary of the runs that have kept theirs in a folder.
func summarize(out io.Writer, folder string) error {
	names, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil {
		return err
	}
	var files []io.Reader
	for _, name := range names {
		file, err := os.Open(name)
		if err != nil {
			return err
		}
		defer file.Close()
		files = append(files, file)
	}
	execution, err := testjson.ScanTestOutput(testjson.ScanConfig{Stdout: io.MultiReader(files...)})
	if err != nil {
		return err
	}
	printSummary(out, execution)
	return nil
}

// printSummary prints what has failed, what was skipped and why, what took longest, and how many tests there were.
func printSummary(out io.Writer, x *testjson.Execution) {
	fmt.Fprintln(out)
	printSkipped(out, x)
	printSlowest(out, x)
	failed := testjson.FilterFailedUnique(x.Failed())
	for _, test := range failed {
		fmt.Fprintln(out, strings.TrimSpace("FAIL  "+shortPath(test.Package)+" "+test.Test.Name()))
	}
	fmt.Fprintf(out, "%d tests and subtests, %d skipped, %d failed\n", x.Total(), len(x.Skipped()), len(failed))
}

// printSkipped prints the reasons of skipped tests. Long tests are counted together.
func printSkipped(out io.Writer, x *testjson.Execution) {
	long, tests := 0, map[string][]string{}
	for _, test := range x.Skipped() {
		reason := skipReason(strings.Join(x.OutputLines(test), ""))
		if strings.HasPrefix(reason, "long: ") {
			long++
			continue
		}
		tests[reason] = append(tests[reason], shortPath(test.Package)+" "+test.Test.Name())
	}
	if long > 0 {
		fmt.Fprintf(out, "skipped  %d long tests: make test-long runs them\n", long)
	}
	for _, reason := range slices.Sorted(maps.Keys(tests)) {
		fmt.Fprintf(out, "skipped  %s\n         %s\n", reason, strings.Join(tests[reason], ", "))
	}
}

// logged is where a line of a test's log begins: with a file and a line.
var logged = regexp.MustCompile(`(?m)^ +\S+\.go:\d+: `)

// skipReason returns the last thing that a skipped test has logged, in one line. A script logs its own lines after that.
func skipReason(output string) string {
	output, _, _ = strings.Cut(output, "--- SKIP: ")
	reason := "without a reason"
	for _, entry := range logged.Split(output, -1)[1:] {
		if !strings.HasPrefix(entry, "WORK=") {
			reason = strings.Join(strings.Fields(entry), " ")
		}
	}
	return reason
}

// slowest is how many tests a summary names.
const slowest = 10

// printSlowest prints the tests that took longest, and a second at least. One with subtests is left out.
func printSlowest(out io.Writer, x *testjson.Execution) {
	var tests []testjson.TestCase
	parents := map[string]bool{}
	for _, path := range x.Packages() {
		for _, test := range x.Package(path).TestCases() {
			tests = append(tests, test)
			parents[path+" "+test.Test.Parent()] = true
		}
	}
	tests = slices.DeleteFunc(tests, func(test testjson.TestCase) bool { return parents[test.Package+" "+test.Test.Name()] })
	slices.SortStableFunc(tests, func(a, b testjson.TestCase) int { return int(b.Elapsed - a.Elapsed) })
	for _, test := range tests[:min(len(tests), slowest)] {
		if test.Elapsed < time.Second {
			return
		}
		fmt.Fprintf(out, "slow  %7.1f s  %s %s\n", test.Elapsed.Seconds(), shortPath(test.Package), test.Test)
	}
}
