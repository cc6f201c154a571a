package main

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/opgen-dev/opgen/internal/longtest"
)

// Whatever is done to a project, and to what opgen remembers of it: each command does and says what
// it would without a cache. OPGEN_HISTORIES=200 tries more histories.
func TestHistoriesWithAndWithoutCache(t *testing.T) {
	seeds := make([]int, times(t, "OPGEN_HISTORIES", 24))
	for i := range seeds {
		seeds[i] = i
	}
	for _, seed := range longtest.Cases(t, seeds, 3, "each history runs opgen 25 times") {
		goFirst := seed%8 == 7
		t.Run(fmt.Sprintf("%d", seed), func(t *testing.T) {
			t.Parallel()
			h := newHistory(t, uint64(seed), goFirst)
			steps := 8
			if goFirst { // loading Go packages takes its time
				steps = 5
			}
			for range steps {
				h.change(t)
				for range 1 + h.random.IntN(2) { // whatever the first run leaves is for the second
					h.compare(t, h.pickCommand())
				}
			}
		})
	}
}

// history is a project that is changed at random, step by step.
type history struct {
	random  *rand.Rand
	root    string // a folder of its own, with the cache and the project in it
	goFirst bool
	done    []string // what was changed and run, for whoever looks for an error
	earlier []map[string]string
}

// project is the folder of the project.
func (h *history) project() string { return filepath.Join(h.root, "with", "op") }

func newHistory(t *testing.T, seed uint64, goFirst bool) *history {
	t.Helper()
	h := &history{random: rand.New(rand.NewPCG(seed, 17)), root: t.TempDir(), goFirst: goFirst}
	h.mustRun(t, h.root, "init", "with/op", "--module", "example.com/op", "--multigroup")
	for name, text := range startOfHistories {
		writeText(t, filepath.Join(h.project(), name), text)
	}
	if goFirst {
		writeText(t, filepath.Join(h.project(), "api/cache.yaml"), goFirstOfHistories)
	}
	h.mustRun(t, h.project(), "generate")
	h.earlier = append(h.earlier, contents(t, h.project()))
	return h
}

// outcome is what a command has said, and the tree that it has left.
type outcome struct {
	Exit        int
	Out, Report string
	Tree        map[string]string
}

// compare runs a command in the project, and without a cache in a copy of it.
func (h *history) compare(t *testing.T, args []string) {
	t.Helper()
	copied := filepath.Join(h.root, "without", "op")
	if err := os.RemoveAll(copied); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(copied, os.DirFS(h.project())); err != nil {
		t.Fatal(err)
	}
	h.done = append(h.done, "opgen "+strings.Join(args, " "))
	with, without := h.run(t, h.project(), args...), h.run(t, copied, append(args, "--no-cache")...)
	if diff := cmp.Diff(without, with); diff != "" {
		t.Fatalf("after\n%s\nit is not what it is without a cache (-without, +with):\n%s", strings.Join(h.done, "\n"), diff)
	}
	h.earlier = append(h.earlier, with.Tree)
}

// run runs opgen in a folder.
func (h *history) run(t *testing.T, dir string, args ...string) outcome {
	t.Helper()
	cmd := opgenCommand(t, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "OPGEN_CACHE="+filepath.Join(h.root, "cache"), "XDG_CONFIG_HOME="+filepath.Join(h.root, "config"),
		"GOFLAGS=-mod=readonly", "GOPROXY=off", "PWD="+dir)
	var out, report bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &report
	if err := cmd.Run(); err != nil && !errors.As(err, new(*exec.ExitError)) {
		t.Fatal(err)
	}
	result := outcome{Exit: cmd.ProcessState.ExitCode(), Out: out.String(), Report: report.String()}
	if _, err := os.Stat(filepath.Join(dir, "opgen.yaml")); err == nil {
		result.Tree = relativeTo(dir, contents(t, dir))
	}
	return result
}

func (h *history) mustRun(t *testing.T, dir string, args ...string) {
	t.Helper()
	if result := h.run(t, dir, args...); result.Exit != 0 {
		t.Fatalf("opgen %s: exit %d\n%s", strings.Join(args, " "), result.Exit, result.Report)
	}
}

// relativeTo returns files by their paths in a folder.
func relativeTo(dir string, files map[string]string) map[string]string {
	inside := map[string]string{}
	for file, content := range files {
		inside[strings.TrimPrefix(file, dir+string(filepath.Separator))] = content
	}
	return inside
}

// pickCommand returns the arguments of a command: mostly generate.
func (h *history) pickCommand() []string {
	rare := [][]string{{"diff"}, {"check"}, {"generate", "--force"}, {"generate", "--dry-run"}, {"generate", "-o", "json"}, {"diff", "-o", "json"}}
	if h.random.IntN(3) > 0 {
		return []string{"generate"}
	}
	return rare[h.random.IntN(len(rare))]
}

// change changes something at random.
func (h *history) change(t *testing.T) {
	t.Helper()
	names := slices.Sorted(maps.Keys(changesOfHistories))
	name := names[h.random.IntN(len(names))]
	h.done = append(h.done, name)
	changesOfHistories[name](t, h)
}
