package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestGoldenCommandDocs keeps docs/commands.md what the commands say of themselves.
func TestGoldenCommandDocs(t *testing.T) {
	root := newRoot(streams{in: strings.NewReader(""), out: io.Discard, err: io.Discard})
	root.InitDefaultCompletionCmd()
	var page bytes.Buffer
	page.WriteString("# The commands of opgen\n\nThis page is written by `make docs` from the commands' own help.\n")
	describe(&page, root)

	path := filepath.Join("..", "..", "docs", "commands.md")
	if *update {
		if err := os.WriteFile(path, page.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(page.String(), string(got)); diff != "" {
		t.Errorf("docs/commands.md is out of date: run make docs\n%s", diff)
	}
}

// describe writes a section for a command and for each command below it.
func describe(page *bytes.Buffer, cmd *cobra.Command) {
	if cmd.Hidden {
		return
	}
	text := cmd.Long
	if text == "" {
		text = cmd.Short + "."
	}
	fmt.Fprintf(page, "\n## %s\n\n%s\n\n```\n%s\n```\n", cmd.CommandPath(), text, cmd.UseLine())
	if cmd.Example != "" {
		fmt.Fprintf(page, "\nFor example:\n\n```\n%s\n```\n", strings.TrimRight(dedent(cmd.Example), "\n"))
	}
	if flags := cmd.LocalFlags().FlagUsages(); flags != "" {
		fmt.Fprintf(page, "\n```\n%s\n```\n", strings.TrimRight(flags, "\n"))
	}
	for _, sub := range cmd.Commands() {
		describe(page, sub)
	}
}

// dedent takes away the two spaces that cobra wants before an example.
func dedent(text string) string {
	return strings.ReplaceAll(strings.TrimPrefix(text, "  "), "\n  ", "\n")
}
