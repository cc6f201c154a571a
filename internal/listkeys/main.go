// Command listkeys generates the table of package listmap: which lists of Kubernetes' own kinds are
// maps or sets, and which keys identify their items. It reads the schema for server-side apply in
// client-go.
//
//	go run ./internal/listkeys table.go
package main

import (
	"fmt"
	"os"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: listkeys FILE")
		os.Exit(2)
	}
	text, err := writeTable()
	if err == nil {
		err = os.WriteFile(os.Args[1], text, 0o666)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
