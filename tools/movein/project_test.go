package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A limit that Go types have anyway is told from a difference, and so is what a newer library has.
func TestDifferencesAreSorted(t *testing.T) {
	const now = `{"crds": [
		{"name": "same.a.b", "equal": true},
		{"name": "limited.a.b", "differences": [{"path": "v1.spec.after.pattern", "cause": "source", "here": "^x$"}]},
		{"name": "both.a.b", "differences": [{"path": "v1.spec.after.allOf", "cause": "source", "here": "[{\"pattern\":\"^x$\"},{\"pattern\":\"^y$\"}]"}, {"path": "v1.spec.after.pattern", "cause": "source", "there": "^y$"}]},
		{"name": "newer.a.b", "differences": [{"path": "v1.spec.pod.new", "cause": "types", "here": "string"}]},
		{"name": "other.a.b", "differences": [{"path": "v1.spec.size.type", "cause": "source", "here": "string", "there": "integer"}]},
		{"name": "wider.a.b", "differences": [{"path": "v1.spec.size.maximum", "cause": "source", "there": "5"}]}
	], "onlyThere": ["else.c.d", "lost.a.b"]}`
	var report diffReport
	if err := json.Unmarshal([]byte(now), &report); err != nil {
		t.Fatal(err)
	}
	want := comparison{
		equal: 1, tighter: []string{"limited.a.b", "both.a.b"}, newer: []string{"newer.a.b"},
		differ: []string{
			"other.a.b v1.spec.size.type: string here, integer there", "wider.a.b v1.spec.size.maximum:  here, 5 there", "lost.a.b is only there",
		},
		foreign: []string{"else.c.d"},
	}
	got := report.comparison(report.limits(), []string{"lost.a.b"})
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(comparison{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTable(t *testing.T) {
	rows := []row{
		{name: "orchard", commit: "0123", warnings: 2, built: true, code: []string{"a.b.c", "d.b.c"}, taken: []string{"a.b.c"}, silent: []string{"d.b.c"}, now: comparison{equal: 1}},
		{name: "shed", refused: "main.go: is in the folder\n    git mv main.go cmd/main.go\n"},
	}
	var out strings.Builder
	printTable(&out, rows)
	for _, want := range []string{"passes   2         pass               2                 1      0                1           none", "1 · 0 · 0 · 0", "refuses", "left out in silence: d.b.c", "init: git mv main.go cmd/main.go"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in:\n%s", want, out.String())
		}
	}
	if rows[0].isGood() || !rows[1].isGood() {
		t.Error("a kind that is lost in silence is good, or a refusal is not")
	}
}

// A copy has neither what git keeps nor links, and the CRDs of a folder are found in any of its documents.
func TestCopiesAndNames(t *testing.T) {
	from, to := t.TempDir(), filepath.Join(t.TempDir(), "copy")
	const two = "# two\n---\nkind: CustomResourceDefinition\nmetadata: {name: b.c.d}\n---\nkind: CustomResourceDefinition\nmetadata: {name: a.c.d}\n---\nkind: Service\nmetadata: {name: e}\n"
	for name, content := range map[string]string{"deploy/crd.yaml": two, "deploy/.git/config": "x"} {
		if err := os.MkdirAll(filepath.Join(from, filepath.Dir(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(from, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("/", filepath.Join(from, "deploy", "outside")); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(to, checkout{os.DirFS(from)}); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(filepath.Join(to, "deploy"))
	if err != nil || len(entries) != 1 {
		t.Errorf("%v, %v", entries, err)
	}
	names, err := crdNames(filepath.Join(to, "deploy"))
	if diff := cmp.Diff([]string{"a.c.d", "b.c.d"}, names); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}
