// Command sbom writes the software bill of materials of executables in SPDX: the Go modules that the go command
// recorded in each.
//
//	go run ./tools/sbom --name NAME --output FILE EXECUTABLE...
//
// An executable may be a pattern, such as dir/kubernetes-*, that matches nothing: on some platforms, a release has no
// control plane.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/opgen-dev/opgen/internal/image"
)

func main() {
	name := flag.String("name", "", "name of the document")
	output := flag.String("output", "", "file to write")
	created := flag.Int64("created", 0, "time of the document, in seconds since 1970")
	flag.Parse()
	if err := run(*name, *output, time.Unix(*created, 0).UTC(), flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(name, output string, created time.Time, patterns []string) error {
	var executables []string
	for _, pattern := range patterns {
		found, err := filepath.Glob(pattern)
		if err != nil {
			return fmt.Errorf("%s: %w", pattern, err)
		}
		executables = append(executables, found...)
	}
	if name == "" || output == "" || len(executables) == 0 {
		return errors.New("usage: sbom --name NAME --output FILE EXECUTABLE..., of which one exists")
	}
	document, err := image.ListModules(name, "opgen", created, executables...)
	if err != nil {
		return err
	}
	return os.WriteFile(output, document, 0o644)
}
