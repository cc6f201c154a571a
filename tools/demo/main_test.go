package main

import (
	"os/exec"
	"strings"
	"testing"
)

// TestImports keeps the demo from downloading and compiling modules before it prints its first
// line.
func TestImports(t *testing.T) {
	list := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", ".")
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	if packages := strings.Fields(string(out)); len(packages) != 1 {
		t.Errorf("beside the standard library, the demo imports %q", packages[:len(packages)-1])
	}
}
