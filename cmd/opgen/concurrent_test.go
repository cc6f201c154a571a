package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/opgen-dev/opgen/internal/project"
)

// times is how often a test does something: the number of an environment variable, or what fits
// into the usual tests.
func times(t *testing.T, variable string, usual int) int {
	t.Helper()
	value := os.Getenv(variable)
	if value == "" {
		return usual
	}
	n, err := strconv.Atoi(value)
	if err != nil {
		t.Fatalf("%s: %v", variable, err)
	}
	return n
}

// changingProject is a project whose opgen.yaml changes to and fro, with the tree that generate
// makes of each spec.
type changingProject struct {
	spec [2]string
	tree [2]map[string]string
}

// newChangingProject makes the project in a folder of its own and works there.
func newChangingProject(t *testing.T) changingProject {
	t.Helper()
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	t.Chdir(t.TempDir())
	runOpgen(t, "init", "op", "--module", "example.com/op", "--clients")
	t.Chdir("op")
	for i := range 3 {
		runOpgen(t, "create", "api", "--group", "demo", "--version", "v1", "--kind", fmt.Sprintf("Part%d", i), "--child", "v1/Pod")
	}
	edit(t, "internal/part0/sync.go", "// mine\n")
	writeTemplates(t)
	var p changingProject
	spec, err := os.ReadFile(project.FileName)
	if err != nil {
		t.Fatal(err)
	}
	p.spec[0] = string(spec)
	p.spec[1] = strings.Replace(p.spec[0], "clients: true", "clients: false", 1)
	for i := range p.spec {
		p.write(t, i)
		runOpgen(t, "generate")
		p.tree[i] = contents(t, ".")
	}
	if cmp.Equal(p.tree[0], p.tree[1]) {
		t.Fatal("generate changes nothing")
	}
	return p
}

// writeTemplates adds templates of which one makes files only with clients, and one other files.
func writeTemplates(t *testing.T) {
	t.Helper()
	for name, text := range map[string]string{
		"docs/{{ lower .API.Kind }}.md.tmpl": "{{ if .Project.Clients }}# {{ .API.Kind }}{{ end }}",
		"README.clients.md.tmpl":             "clients: {{ .Project.Clients }}\n",
	} {
		file := filepath.Join("templates", filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	edit(t, project.FileName, "templates: [templates]\n")
}

func (p changingProject) write(t *testing.T, i int) {
	t.Helper()
	if err := os.WriteFile(project.FileName, []byte(p.spec[i]), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Wherever generate is killed, the next one makes the tree that the spec asks for, whether it is the
// spec that the killed one read or another: there is no conflict, nothing is lost, and nothing left.
func TestKilledGenerate(t *testing.T) {
	p := newChangingProject(t)
	begin := time.Now()
	p.write(t, 0)
	runOpgen(t, "generate")
	usual := time.Since(begin)
	kills, stopped := times(t, "OPGEN_KILLS", 10), 0
	for i := range kills {
		p.write(t, (i+1)%2)
		if killWhileItWrites(t, usual, i%4 == 0, "generate") {
			stopped++
		}
		next := []string{"generate", "check", "diff"}[i%3]
		if code, out := runIn(bytes.NewReader(nil), next); code != exitDone && (next == "generate" || code != exitFindings) || strings.Contains(out, "conflict") {
			t.Fatalf("kill %d: %s: exit code %d\n%s", i, next, code, out)
		}
		if left := staging(t); len(left) > 0 {
			t.Fatalf("kill %d: %s has left %v", i, next, left)
		}
		asked := (i + 1) % 2
		if i%5 == 4 { // somebody takes the change back
			asked = i % 2
			p.write(t, asked)
		}
		runOpgen(t, "generate")
		if diff := cmp.Diff(p.tree[asked], contents(t, ".")); diff != "" {
			t.Fatalf("kill %d: the tree is another (-want +got):\n%s", i, diff)
		}
	}
	t.Logf("%d of %d were stopped while they wrote", stopped, kills)
}

// killWhileItWrites runs a command and kills it, and reports whether it was writing. With anywhen,
// it kills the command at any time of the usual one that it needs.
func killWhileItWrites(t *testing.T, usual time.Duration, anywhen bool, args ...string) bool {
	t.Helper()
	cmd := opgenCommand(t, args...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if anywhen {
		time.Sleep(rand.N(usual))
	} else {
		awaitStaging(usual * 4)
		time.Sleep(rand.N(5 * time.Millisecond))
	}
	_ = cmd.Process.Kill() // it may have ended
	_ = cmd.Wait()
	return len(staging(t)) > 0
}

// awaitStaging waits until generate begins to write, at most for some time.
func awaitStaging(most time.Duration) {
	for begin := time.Now(); time.Since(begin) < most; time.Sleep(time.Millisecond / 2) {
		if found, _ := filepath.Glob(".opgen-apply"); len(found) > 0 {
			return
		}
	}
}

func staging(t *testing.T) []string {
	t.Helper()
	found, err := filepath.Glob(".opgen-*")
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// Several generates at the same time wait for each other.
func TestGeneratesAtOnce(t *testing.T) {
	p := newChangingProject(t)
	for round := range times(t, "OPGEN_ROUNDS", 2) {
		p.write(t, round%2)
		var outs [8]bytes.Buffer
		var running []func() error
		for i := range outs {
			cmd := opgenCommand(t, "generate")
			cmd.Stdout, cmd.Stderr = &outs[i], &outs[i]
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			running = append(running, cmd.Wait)
		}
		for i, wait := range running {
			if err := wait(); err != nil {
				t.Errorf("round %d: %v\n%s", round, err, outs[i].Bytes())
			}
		}
		if diff := cmp.Diff(p.tree[round%2], contents(t, ".")); diff != "" {
			t.Fatalf("round %d: the tree is another (-want +got):\n%s", round, diff)
		}
	}
}

func runOpgen(t *testing.T, args ...string) {
	t.Helper()
	if out, err := opgenCommand(t, args...).CombinedOutput(); err != nil {
		t.Fatalf("opgen %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// edit appends to a file.
func edit(t *testing.T, path, text string) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.WriteString(text); err != nil {
		t.Fatal(err)
	}
}

// contents are the files of a folder by path.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		all[path] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
