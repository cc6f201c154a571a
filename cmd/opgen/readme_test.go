package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/opgen-dev/opgen/internal/longtest"
	"github.com/opgen-dev/opgen/internal/workdir"
)

// TestReadme runs the walk of README.md: every command in it, in order, in one shell that stops at
// the first that does not succeed. The walk has a folder and a cluster of its own here.
func TestReadme(t *testing.T) {
	longtest.Skip(t, "it builds opgen and an operator, starts a control plane and deploys the operator")
	if os.Getenv("OPGEN_TEST_KUBECONFIG") == "" {
		t.Skip("OPGEN_TEST_KUBECONFIG is not set: run make test")
	}
	checkout, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(checkout, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	temp := workdir.New(t, "readme")
	walk := "set -euxo pipefail\n" +
		"trap 'status=$?; set +e; kill $(jobs -p); opgen cluster down; exit $status' EXIT\n" +
		walkOf(string(text))
	shell := exec.CommandContext(t.Context(), "bash", "-c", strings.ReplaceAll(walk, "/tmp/", `"$WALK"/`))
	shell.Dir = checkout
	shell.Env = append(os.Environ(), "WALK="+temp, "KUBECONFIG="+filepath.Join(temp, "none"), "OPGEN_STATE="+filepath.Join(temp, "state"))
	out, err := shell.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// walkOf joins the shell blocks of the README after the first, which names make demo and make test:
// the demo has a test of its own, and this is the other.
func walkOf(readme string) string {
	_, walk, _ := strings.Cut(readme, "\n## Five minutes")
	walk, _, _ = strings.Cut(walk, "\n## Commands")
	var blocks []string
	for _, part := range strings.Split(walk, "```sh\n")[1:] {
		block, _, _ := strings.Cut(part, "\n```")
		blocks = append(blocks, block)
	}
	return strings.Join(blocks, "\n")
}

// TestDemo runs make demo as a newcomer does.
func TestDemo(t *testing.T) {
	longtest.Skip(t, "it builds the demo, which builds and runs an operator")
	if os.Getenv("OPGEN_TEST_KUBECONFIG") == "" {
		t.Skip("OPGEN_TEST_KUBECONFIG is not set: run make test")
	}
	demo := exec.CommandContext(t.Context(), "make", "--no-print-directory", "demo")
	demo.Dir = filepath.Join("..", "..")
	out, err := demo.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if last := lines[len(lines)-1]; !strings.HasPrefix(last, "demo: passed in ") {
		t.Errorf("the last line is %q", last)
	}
}
