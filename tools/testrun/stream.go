package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"strings"
)

// goEvent is a line that go test -json prints, as far as it is about a build. The others are events of tests.
type goEvent struct{ Action, ImportPath, Output string }

// testMain is what the name of the program ends with that go makes of a package and its tests. go list calls each of them
// stale, whether or not it is.
const testMain = ".test"

// splitStream reads what go prints with the flags -json and -x. It writes the events of tests to events, counts what is
// compiled, and prints what a build that fails has said. Of the other commands nothing is kept.
func splitStream(stdout io.Reader, events io.Writer, d *display) error {
	said := map[string]string{} // by the package that is built
	for lines := bufio.NewReader(stdout); ; {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		var event goEvent
		if json.Unmarshal(line, &event) != nil {
			d.print(strings.TrimSuffix(string(line), "\n"))
			continue
		}
		path, _, _ := strings.Cut(event.ImportPath, " ")
		switch {
		case event.Action == "build-fail":
			d.print(strings.TrimSuffix(said[event.ImportPath], "\n"))
		case event.Action != "build-output":
			if _, err := events.Write(line); err != nil {
				return err
			}
		case strings.HasPrefix(event.Output, "# "+path+" ") || event.Output == "# "+path+"\n":
			said[event.ImportPath] = event.Output // a message begins: what came before are commands
		case isCompiler(event.Output) && !strings.HasSuffix(event.ImportPath, testMain):
			d.countCompiled()
		case said[event.ImportPath] != "":
			said[event.ImportPath] += event.Output
		}
	}
}

// isCompiler reports whether a command compiles a package.
func isCompiler(command string) bool {
	program, _, isCalled := strings.Cut(strings.ReplaceAll(command, `\`, "/"), " -o $WORK/")
	return isCalled && strings.HasSuffix(strings.TrimSuffix(strings.Trim(program, `"'`), ".exe"), "/compile")
}
