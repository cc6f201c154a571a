// Command licences finds the licences of the modules that opgen and the operators made with it link, on all platforms of
// a release. It compares them with LICENCES.md and fails if they differ, or if one of them is not on the list of those
// that may be linked. It runs in its own folder:
//
//	go run .               compare
//	go run . -write        write LICENCES.md
//	go run . -texts FILE EXECUTABLE...
//	                       write the texts that a release has to carry, those of further executables included
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

const listFile = "LICENCES.md"

// root is the folder of opgen's module, from that of this one.
const root = "../.."

func main() {
	write := flag.Bool("write", false, "write "+listFile)
	texts := flag.String("texts", "", "write the texts of all licences to `FILE`")
	flag.Parse()
	if err := run(*write, *texts, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(write bool, texts string, executables []string) error {
	linked, err := findLinked(root, []program{{"opgen", "./cmd/opgen"}, {"operators", "./runtime/..."}})
	if err != nil {
		return err
	}
	if err := checkAllowed(linked, allowed); err != nil {
		return err
	}
	if texts != "" {
		more, err := findRecorded(executables)
		if err != nil {
			return err
		}
		if err := checkAllowed(more, besides); err != nil {
			return err
		}
		return writeTexts(texts, slices.Concat(linked, more))
	}
	list := formatList(linked)
	if write {
		return os.WriteFile(filepath.Join(root, listFile), list, 0o644)
	}
	before, err := os.ReadFile(filepath.Join(root, listFile))
	if err != nil {
		return err
	}
	if !bytes.Equal(before, list) {
		return fmt.Errorf("%s does not list what is linked: run make licences, and look at what changes", listFile)
	}
	return nil
}
