// Command movein measures how projects of kubebuilder move in: it takes copies of them through opgen init
// --from-kubebuilder, build, vet and opgen check, and compares the CRDs with those that they had, and with those that
// controller-gen makes of the same types. It prints a table, and names what is left out.
//
//	go run ./tools/movein [-crds] DIR...
//
// With -crds it leaves out build, vet and check, which compile all that a project imports.
// Each DIR is a checkout of a project. It is read, and never changed: no file of it is run, and its Makefile is not used
// for anything but the options of controller-gen. It fails when a project gets through with a kind that is left out in
// silence, or with a CRD that differs by more than newer libraries.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
)

func main() {
	onlyCRDs := flag.Bool("crds", false, "leave out build, vet and check")
	flag.Parse()
	os.Exit(run(flag.Args(), *onlyCRDs))
}

// run returns the exit code: 1 when a project falls short, 2 when there is nothing to measure.
func run(dirs []string, onlyCRDs bool) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if len(dirs) == 0 {
		fmt.Fprintln(os.Stderr, "name the checkouts of projects: go run ./tools/movein DIR...")
		return 2
	}
	rows, err := measureAll(ctx, dirs, onlyCRDs)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	printTable(os.Stdout, rows)
	for _, r := range rows {
		if !r.isGood() {
			return 1
		}
	}
	return 0
}

// measureAll measures one project after the other, and says on standard error how far it is.
func measureAll(ctx context.Context, dirs []string, onlyCRDs bool) ([]row, error) {
	temp, err := os.MkdirTemp("", "movein")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(temp)
	opgen := filepath.Join(temp, "opgen")
	fmt.Fprintln(os.Stderr, "building opgen")
	if output, err := exec.CommandContext(ctx, "go", "build", "-o", opgen, "./cmd/opgen").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("run this in the folder of opgen's repository: %s", strings.TrimSpace(string(output)))
	}
	var rows []row
	for i, dir := range dirs {
		p := &project{
			from: dir, dir: filepath.Join(temp, fmt.Sprint(i), filepath.Base(dir)), opgen: opgen, onlyCRDs: onlyCRDs,
			showStep: func(step string) {
				fmt.Fprintf(os.Stderr, "%d of %d: %s: %s\n", i+1, len(dirs), filepath.Base(dir), step)
			},
		}
		measured, err := p.measure(ctx)
		if err != nil {
			return rows, fmt.Errorf("%s: %w", dir, err)
		}
		rows = append(rows, measured)
		if err := os.RemoveAll(filepath.Join(temp, fmt.Sprint(i))); err != nil {
			return rows, err
		}
	}
	return rows, nil
}
