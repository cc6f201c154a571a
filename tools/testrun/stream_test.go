package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/gotestsum/testjson"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestRecordedRun reads what go test -json -x has printed: packages with tests that fail, panic or are skipped, that do not build, and without tests.
func TestRecordedRun(t *testing.T) {
	var out, events, kept bytes.Buffer
	d := startDisplay(&out)
	defer d.close()
	if err := splitStream(open(t, "mixed.json"), &events, d); err != nil {
		t.Fatal(err)
	}
	x, err := testjson.ScanTestOutput(testjson.ScanConfig{Stdout: &events, Handler: handler{d, json.NewEncoder(&kept)}})
	if err != nil {
		t.Fatal(err)
	}
	printSummary(&out, x)
	compareGolden(t, "mixed.txt", out.String())
	if d.compiled.done != 5 {
		t.Errorf("%d packages were compiled, want 5", d.compiled.done)
	}

	// A summary of what was kept is the same.
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "run.json"), kept.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	var summary bytes.Buffer
	if err := summarize(&summary, folder); err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(out.String(), summary.String()) {
		t.Errorf("the summary of what was kept is another one:\n%s", summary.String())
	}
}

func open(t *testing.T, name string) *os.File {
	t.Helper()
	file, err := os.Open(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	return file
}

func compareGolden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	expected, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(expected) {
		t.Errorf("%s has:\n%s\ngot:\n%s", path, expected, got)
	}
}

func TestSkipReason(t *testing.T) {
	for output, expected := range map[string]string{
		"=== RUN   TestA\n    a_test.go:1: first\n    a_test.go:2: long: it builds\n        two projects\n--- SKIP: TestA (0.00s)\n":        "long: it builds two projects",
		"    testscript.go:56: long: why\n    testscript.go:609: WORK=/tmp/script\n        PATH=/bin\n        > [short] skip 'long: why'\n": "long: why",
		"--- SKIP: TestA (0.00s)\n": "without a reason",
	} {
		if got := skipReason(output); got != expected {
			t.Errorf("got %q, want %q", got, expected)
		}
	}
}

func TestIsCompiler(t *testing.T) {
	for command, expected := range map[string]bool{
		"/go/pkg/tool/linux_amd64/compile -o $WORK/b008/_pkg_.a -trimpath \"$WORK/b008=>\" -p a\n":            true,
		"\"C:\\\\go\\\\tool\\\\compile.exe\" -o $WORK/b008/_pkg_.a -p a\n":                                    true,
		"/go/pkg/tool/linux_amd64/link -o $WORK/b001/a.test -importcfg $WORK/b001/importcfg.link\n":           false,
		"cp $WORK/b001/_pkg_.a /cache/d # internal\n":                                                         false,
		"/go/pkg/tool/linux_amd64/asm -p internal/cpu -trimpath \"$WORK/b011=>\" -o $WORK/b011/cpu.o ./cpu.s": false,
	} {
		if got := isCompiler(command); got != expected {
			t.Errorf("%t for %s", got, command)
		}
	}
}
