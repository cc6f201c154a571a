package cluster

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestExplainSaysWhatToDo(t *testing.T) {
	for _, test := range []struct{ name, output, want string }{
		{"disk full", "link: write /tmp/x: no space left on device", "set OPGEN_CACHE, GOCACHE"},
		{"cache of somebody else", "open /home/x/.cache: permission denied", "directories that can be written"},
		{"offline", "go: k8s.io/api@v0.36.3: Get \"x\": dial tcp: lookup proxy: no such host", "connect to the network once"},
		{"proxy switched off", "module lookup disabled by GOPROXY=off", "GOPROXY"},
		{"compiler", "main.go:3:1: undefined: x", "main.go:3:1: undefined: x"},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := explainBuild(errors.New("exit status 1"), test.output)
			if !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %q, expected it to contain %q", err, test.want)
			}
		})
	}
}

func TestBuildWithoutGoNamesIt(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := Build(t.Context(), Cache{Dir: t.TempDir()}, "", nil)
	if err == nil || !strings.Contains(err.Error(), "install Go") {
		t.Errorf("got %v, expected to be told to install Go", err)
	}
}

// The module that is built has no vendor/, so that go refuses it with these flags.
func TestBuildPassesOverGoFlags(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{
		"env":                    "GOFLAGS=-mod=vendor\n",
		"built/go.mod":           "module built\n\ngo 1.26.0\n\nrequire needed v0.0.0\n\nreplace needed => ./needed\n",
		"built/main.go":          "package main\n\nimport _ \"needed\"\n\nfunc main() {}\n",
		"built/needed/go.mod":    "module needed\n\ngo 1.26.0\n",
		"built/needed/needed.go": "package needed\n",
	} {
		file := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(content), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	tool, err := findGo(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	tool.temp = t.TempDir()
	for name, env := range map[string]map[string]string{
		"environment": {"GOFLAGS": "-mod=vendor"},
		"go env -w":   {"GOFLAGS": "", "GOENV": filepath.Join(dir, "env")},
	} {
		t.Run(name, func(t *testing.T) {
			for key, value := range env {
				t.Setenv(key, value)
			}
			packages, err := tool.runGo(t.Context(), filepath.Join(dir, "built"), func(string) {}, "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", ".")
			if err != nil || string(packages) != "needed\nbuilt\n" {
				t.Errorf("got %s, %v", packages, err)
			}
		})
	}
}

func TestUsersHeapSettingsTakePrecedence(t *testing.T) {
	for _, test := range []struct {
		gogc, limit string
		want        int
	}{{"", "", 2}, {"50", "", 0}, {"", "500MiB", 0}} {
		t.Setenv("GOGC", test.gogc)
		t.Setenv("GOMEMLIMIT", test.limit)
		if settings := heapSettings(); len(settings) != test.want {
			t.Errorf("with GOGC=%q and GOMEMLIMIT=%q the go command gets %q", test.gogc, test.limit, settings)
		}
	}
}
