// Command bundle writes bundle.zip: what opgen knows of Kubernetes' own types. It reads the Go
// packages of Kubernetes with controller-tools, so that a field of a Kubernetes type gets exactly
// the schema that controller-gen would give it. Run it with go generate in package kubetypes.
package main

import (
	"fmt"
	"os"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("usage: bundle FILE")
	}
	content, err := bundle()
	if err != nil {
		return err
	}
	return os.WriteFile(args[0], content, 0o644)
}

// bundle returns the archive that package kubetypes embeds. The same modules give the same bytes.
func bundle() ([]byte, error) {
	k, err := load(true)
	if err != nil {
		return nil, err
	}
	kinds, err := k.kinds()
	if err != nil {
		return nil, err
	}
	versions, err := versions()
	if err != nil {
		return nil, err
	}
	return archive(k.types(), kinds, versions)
}
