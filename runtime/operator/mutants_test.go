package operator_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/opgen-dev/opgen/internal/longtest"
)

// mutantsVariable says whether the mutants are run.
const mutantsVariable = "OPGEN_MUTANTS"

// Each mutant in testdata/mutants is a bug that somebody might make. An exploration of an
// operator that its author has not prepared finds it, and stops there. A mutant of what no
// exploration meets names the test that finds it.
func TestMutants(t *testing.T) {
	all := readMutants(t)
	if len(all) < 20 {
		t.Errorf("there are %d mutants, want 20 at least", len(all))
	}
	t.Run("apply", func(t *testing.T) {
		for _, m := range all {
			if _, err := m.apply(); err != nil {
				t.Errorf("%s: %v", m.name, err)
			}
		}
	})
	t.Run("build", func(t *testing.T) {
		longtest.Skip(t, "it compiles the runtime for each group of mutants")
		for _, m := range mergeMutants(all) {
			overlay, err := m.overlay(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			if output, err := exec.CommandContext(t.Context(), "go", "build", "-overlay", overlay, ".").CombinedOutput(); err != nil {
				t.Errorf("%s: %v\n%s", m.name, err, output)
			}
		}
	})
	switch {
	case os.Getenv(mutantsVariable) != "all":
		t.Skipf("%s is not all: make mutants builds and explores each of them", mutantsVariable)
	case os.Getenv("OPGEN_TEST_KUBECONFIG") == "":
		t.Skip("OPGEN_TEST_KUBECONFIG is not set: run make mutants")
	}
	found := new(findings)
	t.Cleanup(func() { t.Log(found.table()) })
	t.Run("clean", func(t *testing.T) {
		if by := found.explore(t, mutant{name: "none"}); by != "" {
			t.Errorf("the runtime has no fault, and the exploration finds one: %s", by)
		}
	})
	t.Run("mutant", func(t *testing.T) {
		for _, m := range all {
			t.Run(m.name, func(t *testing.T) {
				t.Parallel()
				if found.explore(t, m) == "" {
					t.Errorf("the exploration does not find it: %s", m.bug)
				}
			})
		}
	})
}

// mutant is one file of testdata/mutants: a text archive. Its comment says what bug the
// mutant is. A file "test" may name the test that finds it. Then come pairs of files:
// "before", with the path of a file of this module and lines that it holds exactly once,
// and "after", with the lines in their place.
type mutant struct {
	name  string
	bug   string
	test  string // by default the exploration
	edits []edit
}

type edit struct{ path, before, after string }

func readMutants(t *testing.T) (all []mutant) {
	t.Helper()
	files, err := filepath.Glob("testdata/mutants/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		m := mutant{name: strings.TrimSuffix(filepath.Base(file), ".txtar"), bug: strings.TrimSpace(string(archive.Comment))}
		files := archive.Files
		if len(files) > 0 && files[0].Name == "test" {
			m.test, files = strings.TrimSpace(string(files[0].Data)), files[1:]
		}
		for pair := range slices.Chunk(files, 2) {
			path, ok := strings.CutPrefix(pair[0].Name, "before ")
			if !ok || len(pair) < 2 || pair[1].Name != "after" {
				t.Fatalf("%s: want pairs of before PATH and after", file)
			}
			m.edits = append(m.edits, edit{filepath.Join("../..", path), string(pair[0].Data), string(pair[1].Data)})
		}
		if m.bug == "" || len(m.edits) == 0 {
			t.Fatalf("%s: want a comment and an edit", file)
		}
		all = append(all, m)
	}
	return all
}

// apply returns the files that a mutant changes, as it leaves them.
func (m mutant) apply() (map[string]string, error) {
	changed := map[string]string{}
	for _, e := range m.edits {
		if changed[e.path] == "" {
			data, err := os.ReadFile(e.path)
			if err != nil {
				return nil, err
			}
			changed[e.path] = string(data)
		}
		if n := strings.Count(changed[e.path], e.before); n != 1 {
			return nil, fmt.Errorf("%s holds %d times, want once:\n%s", e.path, n, e.before)
		}
		changed[e.path] = strings.Replace(changed[e.path], e.before, e.after, 1)
	}
	return changed, nil
}

// mergeMutants returns mutants with the edits of all of them. There are several if two mutants edit
// the same lines.
func mergeMutants(all []mutant) (merged []mutant) {
	for _, m := range all {
		fits := func(other mutant) bool {
			_, err := mutant{edits: slices.Concat(other.edits, m.edits)}.apply()
			return err == nil
		}
		i := slices.IndexFunc(merged, fits)
		if i < 0 {
			i, merged = len(merged), append(merged, mutant{})
		}
		merged[i].name, merged[i].edits = merged[i].name+" "+m.name, append(merged[i].edits, m.edits...)
	}
	return merged
}

// overlay writes the changed files into a folder, and the file that go test -overlay reads.
func (m mutant) overlay(dir string) (string, error) {
	changed, err := m.apply()
	if err != nil {
		return "", err
	}
	replaced := map[string]string{}
	for path, text := range changed {
		original, err := filepath.Abs(path)
		if err != nil {
			return "", err
		}
		replaced[original] = filepath.Join(dir, fmt.Sprintf("%d-%s", len(replaced), filepath.Base(path)))
		if err := os.WriteFile(replaced[original], []byte(text), 0o600); err != nil {
			return "", err
		}
	}
	data, err := json.Marshal(map[string]any{"Replace": replaced})
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, "overlay.json")
	return file, os.WriteFile(file, data, 0o600)
}

// findings are the cases by which mutants were found.
type findings struct {
	mu   sync.Mutex
	rows []string
}

// failedCase is how go test names a case of the exploration that has failed.
var failedCase = regexp.MustCompile(`(?m)^ +--- FAIL: TestExploreKinds/(.+) \(`)

// run returns the pattern of the test that finds a mutant, and how go test names what has failed.
func (m mutant) run() (pattern string, failed *regexp.Regexp) {
	if m.test == "" {
		return "^TestExploreKinds$", failedCase
	}
	return "^" + m.test + "$", regexp.MustCompile(`(?m)^--- FAIL: (` + m.test + `) \(`)
}

// explore builds the tests of this package with a mutant, and returns the first case by
// which the exploration, or the test of the mutant, finds it; empty if it finds nothing.
func (f *findings) explore(t *testing.T, m mutant) (by string) {
	t.Helper()
	dir := t.TempDir()
	overlay, err := m.overlay(dir)
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "operator.test")
	if output, err := exec.CommandContext(t.Context(), "go", "test", "-c", "-overlay", overlay, "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, output)
	}
	begun := time.Now()
	pattern, failure := m.run()
	command := exec.CommandContext(t.Context(), program, "-test.run="+pattern, "-test.failfast", "-test.timeout=10m")
	var output bytes.Buffer
	command.Stdout, command.Stderr = &output, &output
	failed := command.Run() != nil
	took := time.Since(begun)
	if first := failure.FindSubmatch(output.Bytes()); first != nil {
		by = string(first[1])
	}
	if failed != (by != "") || bytes.Contains(output.Bytes(), []byte("\npanic: ")) {
		t.Errorf("it failed: %t, but not by a finding:\n%s", failed, withoutLog(output.String()))
	}
	f.add(m.name, by, took)
	if testing.Verbose() {
		t.Log(withoutLog(output.String()))
	}
	return by
}

// withoutLog leaves out the lines of the operator's log.
func withoutLog(text string) string {
	var kept strings.Builder
	for line := range strings.Lines(text) {
		if !strings.Contains(line, " level=") && !strings.HasPrefix(line, "level=") {
			kept.WriteString(line)
		}
	}
	return kept.String()
}

func (f *findings) add(name, by string, took time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.rows = append(f.rows, fmt.Sprintf("%s\t%.0f\t%s\n", name, took.Seconds(), by))
}

func (f *findings) table() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var text strings.Builder
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprint(table, "\nmutant\tseconds\tfound by\n")
	for _, row := range slices.Sorted(slices.Values(f.rows)) {
		fmt.Fprint(table, row)
	}
	_ = table.Flush() // to memory
	return text.String()
}
