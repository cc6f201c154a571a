// Command api compares the Go API of the runtime with runtime/api.txt, which lists it line by line, and fails if they
// differ. With -write, it writes that file.
//
//	go run ./tools/api [-write]
//
// A line that the file of the last release has and the API does not is an incompatible change: the section Unreleased
// of CHANGELOG.md then needs a part Breaking. docs/compatibility.md says what users are promised.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

const listFile = "runtime/api.txt"

// public are the packages that projects import.
var public = []string{"./runtime/cel", "./runtime/kubelet", "./runtime/operator", "./runtime/operatortest"}

func main() {
	write := flag.Bool("write", false, "write "+listFile)
	flag.Parse()
	if err := run(*write); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(write bool) error {
	lines, err := listPackages(public)
	if err != nil {
		return err
	}
	listed := []byte(strings.Join(lines, "\n") + "\n")
	if write {
		return os.WriteFile(listFile, listed, 0o644)
	}
	before, err := os.ReadFile(listFile)
	if err != nil {
		return err
	}
	if !bytes.Equal(before, listed) {
		removed, added := difference(linesOf(before), lines)
		return fmt.Errorf("the API of the runtime is not what %s lists: if that is meant, run make api, and say it in CHANGELOG.md%s%s",
			listFile, printLines("-", removed), printLines("+", added))
	}
	return checkRelease(lines)
}

// checkRelease compares the API with that of the last release.
func checkRelease(lines []string) error {
	tag, err := exec.Command("git", "describe", "--tags", "--abbrev=0", "--match", "v*").Output()
	if err != nil {
		return nil //nolint:nilerr // there is no release yet, or no history
	}
	last := strings.TrimSpace(string(tag))
	released, err := exec.Command("git", "show", last+":"+listFile).Output()
	if err != nil {
		return fmt.Errorf("read %s of %s: %w", listFile, last, err)
	}
	removed, _ := difference(linesOf(released), lines)
	changes, err := os.ReadFile("CHANGELOG.md")
	if err != nil {
		return err
	}
	if len(removed) > 0 && !announcesBreaking(string(changes)) {
		return errors.New("incompatible with " + last + ": the section Unreleased of CHANGELOG.md needs a part ### Breaking about" + printLines("-", removed))
	}
	return nil
}

// announcesBreaking reports whether the section Unreleased of a change log has a part Breaking.
func announcesBreaking(changes string) bool {
	_, unreleased, _ := strings.Cut(changes, "\n## Unreleased\n")
	unreleased, _, _ = strings.Cut(unreleased, "\n## ")
	return strings.Contains(unreleased, "\n### Breaking\n")
}

// difference returns the lines that only one of two sorted lists has.
func difference(before, after []string) (removed, added []string) {
	for _, line := range before {
		if _, found := slices.BinarySearch(after, line); !found {
			removed = append(removed, line)
		}
	}
	for _, line := range after {
		if _, found := slices.BinarySearch(before, line); !found {
			added = append(added, line)
		}
	}
	return removed, added
}

func linesOf(list []byte) []string {
	return strings.Split(strings.TrimSuffix(string(list), "\n"), "\n")
}

func printLines(sign string, lines []string) string {
	var text strings.Builder
	for _, line := range lines {
		text.WriteString("\n" + sign + " " + line)
	}
	return text.String()
}

// listPackages returns the exported API of packages, sorted.
func listPackages(patterns []string) ([]string, error) {
	loaded, err := packages.Load(&packages.Config{Mode: packages.NeedName | packages.NeedTypes | packages.NeedImports | packages.NeedDeps | packages.NeedExportFile}, patterns...)
	if err != nil {
		return nil, err
	}
	var lines []string
	for _, pkg := range loaded {
		if len(pkg.Errors) > 0 {
			return nil, pkg.Errors[0]
		}
		lines = append(lines, listPackage(pkg.Types)...)
	}
	slices.Sort(lines)
	return slices.Compact(lines), nil
}
