package image

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// newProject writes a program into a new folder that links a module of a folder outside.
func newProject(t *testing.T) string {
	t.Helper()
	parent := t.TempDir()
	dir := filepath.Join(parent, "project")
	writeFile(t, filepath.Join(parent, "lib", "go.mod"), "module example.com/lib\n\ngo 1.26\n")
	writeFile(t, filepath.Join(parent, "lib", "lib.go"), "package lib\n\nfunc Name() string { return \"echo\" }\n")
	writeFile(t, filepath.Join(dir, "go.mod"), "module github.com/example/echo\n\ngo 1.26\n\nrequire example.com/lib v0.0.0\n\nreplace example.com/lib => ../lib\n")
	writeFile(t, filepath.Join(dir, "main.go"), "package main\n\nimport \"example.com/lib\"\n\nfunc main() { println(lib.Name()) }\n")
	return dir
}

// request returns the request for an image of a project.
func request(t *testing.T, dir string) Request {
	t.Helper()
	tag, err := ParseTag("registry.example.com/op/echo:v1")
	if err != nil {
		t.Fatal(err)
	}
	return Request{
		Dir: dir, Package: ".", Module: "github.com/example/echo", Title: "echo-operator", Tag: tag, Platforms: bothPlatforms,
		Archive: filepath.Join(dir, "bin", "image.tar"), Tool: "opgen-test",
		Progress: func(string) {},
	}
}

// build builds an image. What it needs beside the archive is removed at the end of the test.
func build(t *testing.T, r Request) *Image {
	t.Helper()
	plan, err := NewPlan(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	built, err := plan.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = plan.Close() })
	return built
}

// archiveOf returns the files in the archive of an image by their names.
func archiveOf(t *testing.T, built *Image) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	for name, file := range readTar(t, bytes.NewReader(archiveContent(t, built.plan.Archive))) {
		if !file.header.FileInfo().IsDir() {
			files[name] = file.content
		}
	}
	return files
}

func archiveContent(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// namesIn returns the names of what is in a folder.
func namesIn(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}

// keepCaches makes the go command use the caches of the machine in a test that has another HOME.
func keepCaches(t *testing.T) {
	t.Helper()
	for _, name := range []string{"GOCACHE", "GOMODCACHE"} {
		out, err := exec.Command("go", "env", name).Output()
		if err != nil {
			t.Fatal(err)
		}
		t.Setenv(name, strings.TrimSpace(string(out)))
	}
}

func writeFile(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}
