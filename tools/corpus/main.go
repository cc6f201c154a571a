// Command corpus proves the spec language on CRDs that people run: it imports every CRD of a
// folder, makes the CRD and the Go types again, and prints one table of what came out. It fails
// when a row falls short of its target.
//
//	go run ./tools/corpus [DIR]
//
// DIR has files of CRDs, at any depth; without it, those written for the purpose are taken.
package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
)

// written are the CRDs that come with the repository, from its root.
const written = "tools/corpus/testdata/crds"

func main() { os.Exit(run()) }

// run returns the exit code: 1 when a row falls short, 2 when there is nothing to measure.
func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	dir := written
	if len(os.Args) > 1 && os.Args[1] != "" {
		dir = os.Args[1]
	} else {
		fmt.Println("No folder is given: these are the CRDs that were written for this table.")
	}
	t, err := measureFolder(ctx, dir)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	t.print(os.Stdout)
	if !t.isGood() {
		return 1
	}
	return 0
}

// measureFolder takes every CRD of a folder through import and generation.
func measureFolder(ctx context.Context, dir string) (*table, error) {
	files, err := crdFiles(dir)
	if err != nil {
		return nil, err
	}
	module, err := newModule()
	if err != nil {
		return nil, err
	}
	defer module.remove()
	t := &table{progress: newProgress()}
	defer t.progress.clearLine()
	for i, file := range files {
		t.progress.showStep("importing and generating", i, len(files))
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		t.addFile(module, file, data)
	}
	if len(t.crds) == 0 {
		return nil, fmt.Errorf("%s: contains no CustomResourceDefinition", dir)
	}
	t.progress.showStep("compiling and vetting", 0, 0)
	broken, err := module.vetPackages(ctx)
	if err != nil {
		return nil, err
	}
	for i := range t.crds {
		c := &t.crds[i]
		c.vets = len(c.subject.packages) > 0 && !slices.Contains(broken, c.name)
	}
	if err := t.roundTrip(ctx, module); err != nil {
		return nil, err
	}
	return t, t.controllerGen(module)
}

// roundTrip sends random objects of every CRD whose Go types compile through them.
func (t *table) roundTrip(ctx context.Context, m *module) error {
	var kinds []goKind
	for _, c := range t.crds {
		if c.vets {
			kinds = append(kinds, c.subject.goKinds(c.name)...)
		}
	}
	t.progress.showStep("linking the Go types", 0, 0)
	program, err := m.newRoundTrip(ctx, kinds)
	if err != nil {
		return err
	}
	for i := range t.crds {
		c := &t.crds[i]
		t.progress.showStep("sending objects", i, len(t.crds))
		if !c.vets {
			continue
		}
		whole, unfound, problem := program.sendObjects(c.name, &c.subject)
		c.whole = whole
		if unfound != nil {
			c.unfound = unfound.Error()
		}
		if problem != nil {
			t.addFailure("%s: %d of %d objects came through: %v", c.name, whole, objectsOfEach, problem)
		}
		problem = program.sendSamples(c.name, &c.subject)
		if c.sampled = problem == nil; problem != nil {
			t.addFailure("%s: %v", c.name, problem)
		}
	}
	return program.stop()
}

// crdFiles returns the YAML files below a folder, sorted.
func crdFiles(dir string) ([]string, error) {
	var files []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && (strings.HasSuffix(path, ".yaml") || strings.HasSuffix(path, ".yml")) {
			files = append(files, path)
		}
		return err
	})
	return files, err
}
