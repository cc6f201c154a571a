package main

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// checkout is "checkout FOLDER": it copies the files of this repository into a folder, for a script that publishes
// another version of them.
func checkout(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: checkout FOLDER")
	}
	for _, file := range repositoryFiles(ts, ts.Getenv("CHECKOUT")) {
		source := file.(repositoryFile)
		content, err := os.ReadFile(source.name())
		ts.Check(err)
		target := filepath.Join(ts.MkAbs(args[0]), filepath.FromSlash(source.path))
		ts.Check(os.MkdirAll(filepath.Dir(target), 0o755))
		ts.Check(os.WriteFile(target, content, 0o644))
	}
}

// replaceText is "replace FILE OLD NEW": it replaces a text in a file, which has it once.
func replaceText(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: replace FILE OLD NEW")
	}
	name := ts.MkAbs(args[0])
	content, err := os.ReadFile(name)
	ts.Check(err)
	if found := strings.Count(string(content), args[1]); found != 1 {
		ts.Fatalf("%s has %q %d times, expected once", args[0], args[1], found)
	}
	ts.Check(os.WriteFile(name, []byte(strings.Replace(string(content), args[1], args[2], 1)), 0o644))
}
