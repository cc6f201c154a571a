package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"

	"gotest.tools/gotestsum/testjson"
)

// readEvents runs a command of go and prints what its tests do. In the end it prints a summary, or keeps what one needs in a
// folder.
func readEvents(command *exec.Cmd, d *display, folder string) error {
	stdout, err := command.StdoutPipe()
	if err != nil {
		return err
	}
	stderr, err := command.StderrPipe()
	if err != nil {
		return err
	}
	h := handler{display: d}
	if folder != "" {
		file, err := os.CreateTemp(folder, "*.json")
		if err != nil {
			return err
		}
		defer file.Close()
		h.record = json.NewEncoder(file)
	}
	if err := command.Start(); err != nil {
		return err
	}
	kill := func() { _ = command.Process.Kill() } // it would wait for somebody who reads
	events, tests := io.Pipe()
	go func() { tests.CloseWithError(splitStream(stdout, tests, d)) }()
	execution, err := testjson.ScanTestOutput(testjson.ScanConfig{Stdout: events, Stderr: stderr, Handler: h, Stop: kill})
	events.Close()
	err = errors.Join(err, command.Wait())
	if folder == "" && execution != nil && execution.Total() > 0 {
		printSummary(d.out, execution)
	}
	return err
}

// handler takes the events of tests.
type handler struct {
	display *display
	record  *json.Encoder // nil: nothing is kept
}

// Err takes a line that go prints to its standard error.
func (h handler) Err(line string) error {
	h.display.showGo(line)
	return nil
}

// Event takes an event of a test or of a package.
func (h handler) Event(e testjson.TestEvent, x *testjson.Execution) error {
	p := x.Package(e.Package)
	switch {
	case e.PackageEvent() && e.Action == "start":
		h.display.beginPackage(e.Package)
		return nil
	case e.Action == testjson.ActionRun:
		h.display.beginTest(e.Package, e.Test)
		return nil
	case !e.Action.IsTerminal():
		return nil
	case e.PackageEvent():
		line := packageLine(e, p)
		if p.TestMainFailed() {
			line = strings.TrimSpace(p.Output(0)) // its last line is as the one that is left out
		}
		h.display.endPackage(e.Package, line)
	default:
		h.display.countTest(e.Package, e.Test)
		if e.Action == testjson.ActionFail {
			said := withoutFrame(p.Output(p.LastFailedByName(e.Test).ID))
			h.display.print(strings.TrimSpace(fmt.Sprintf("FAIL  %s %s\n%s", shortPath(e.Package), e.Test, said)))
		}
	}
	return h.keep(e, p)
}

// frame is what go prints around the output of a test.
var frame = regexp.MustCompile(`(?m)^(=== (RUN|PAUSE|CONT|NAME) .*|--- FAIL: .*)\n`)

func withoutFrame(output string) string {
	return strings.TrimSuffix(frame.ReplaceAllString(output, ""), "\n")
}

// packageLine returns the line of a package that has ended. One without tests has none.
func packageLine(e testjson.TestEvent, p *testjson.Package) string {
	top := 0
	for _, test := range p.TestCases() {
		if !test.Test.IsSubTest() {
			top++
		}
	}
	word, counts := "ok  ", fmt.Sprintf("%d tests", top)
	switch {
	case p.Result() == testjson.ActionFail:
		word = "FAIL"
		counts += fmt.Sprintf(", %d failed", len(p.Failed))
	case top == 0:
		return ""
	}
	if n := len(p.Skipped); n > 0 {
		counts += fmt.Sprintf(", %d skipped", n)
	}
	took := fmt.Sprintf("%.1f s", e.Elapsed)
	if strings.Contains(p.Output(0), "\t(cached)") {
		took = "cached"
	}
	return fmt.Sprintf("%s  %-44s %8s  %s", word, shortPath(e.Package), took, counts)
}

// keep writes down what a summary reads: the end of each test and package, and why a test was skipped.
func (h handler) keep(e testjson.TestEvent, p *testjson.Package) error {
	if h.record == nil {
		return nil
	}
	if e.Action == testjson.ActionSkip && e.Test != "" {
		why := testjson.TestEvent{Action: testjson.ActionOutput, Package: e.Package, Test: e.Test,
			Output: strings.Join(p.OutputLines(p.Skipped[len(p.Skipped)-1]), "")}
		if err := h.record.Encode(why); err != nil {
			return err
		}
	}
	return h.record.Encode(e)
}
