// Testrun runs go test or go build, and says all the time what they do: how many modules are downloaded and packages
// compiled, each package of tests when it ends, and until then how many of its tests have ended.
//
//	bin/testrun test -short -p=3 ./...                  # go test with these flags, each as -name=value, and packages
//	bin/testrun -group=small test -short ./...          # only small packages whose tests need no cluster
//	bin/testrun -group=pure test -short ./...           # only the others whose tests need no cluster
//	bin/testrun -group=cluster test -short ./...        # only packages whose tests need a cluster
//	bin/testrun build -o=bin/opgen ./cmd/opgen
//	bin/testrun summary FOLDER                          # what has ended, was skipped or took long in several runs
//
// With a folder in TEST_EVENTS, a run keeps there what a summary needs, and prints none itself.
//
//	packages.go  the packages, by go list: whether they need a cluster, how many tests they have, what is to be compiled
//	stream.go    the output of go, taken apart: commands of the compiler, errors of builds, events of tests
//	display.go   the lines that are printed
//	events.go    what an event of a test leads to
//	summary.go   what is printed at the end
//
// It is a module of its own because of gotestsum, which knows how to read the events of tests.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"
)

func main() {
	group := flag.String("group", "", "only packages of this `GROUP`: small, pure or cluster; default all")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var err error
	switch args := flag.Args(); {
	case len(args) == 2 && args[0] == "summary":
		err = summarize(os.Stdout, args[1])
	case len(args) > 1 && (args[0] == "test" || args[0] == "build"):
		flags := len(args)
		if first := slices.IndexFunc(args[1:], func(arg string) bool { return !strings.HasPrefix(arg, "-") }); first >= 0 {
			flags = first + 1
		}
		err = run(ctx, command{verb: args[0], flags: args[1:flags], patterns: args[flags:], group: *group})
	default:
		fmt.Fprintln(os.Stderr, "usage: testrun [-group=small|pure|cluster] test|build FLAG... PACKAGE...; testrun summary FOLDER")
		os.Exit(2)
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		os.Exit(max(exit.ExitCode(), 1))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "testrun:", err)
		os.Exit(1)
	}
}

// command is a command of go with the packages that it is for.
type command struct {
	verb            string // test or build
	flags, patterns []string
	group           string // of these packages; empty: all
}

// endGrace is how long an interrupted go command has to end its tests.
const endGrace = 30 * time.Second

// run runs a command of go to its end. The error is that of the command.
func run(ctx context.Context, c command) error {
	d := startDisplay(os.Stdout)
	defer d.close()
	packages, stale, err := c.list(ctx, d)
	if err != nil {
		return err
	}
	if len(packages) == 0 {
		return fmt.Errorf("no package of %s is of the group %q", strings.Join(c.patterns, " "), c.group)
	}
	d.expect(packages, stale)
	args := append([]string{c.verb, "-json", "-x"}, c.flags...)
	for _, p := range packages {
		args = append(args, p.path)
	}
	gotool := exec.CommandContext(ctx, "go", args...)
	gotool.Cancel, gotool.WaitDelay = func() error { return gotool.Process.Signal(os.Interrupt) }, endGrace
	return readEvents(gotool, d, os.Getenv("TEST_EVENTS"))
}
