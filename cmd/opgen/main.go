// Command opgen turns the spec file of a Kubernetes operator into a project that runs.
//
// Each command is one file of this package; main.go, root.go and a few others have what they share:
//
//	main → run → newRoot → applyDefaults → the command's RunE → exitCode
//
// It is the only package that uses cobra and viper, prints, or decides an exit code. All other
// packages take values and return values. What commands do with a project is in internal/project.
package main

import (
	"os"
	"runtime/debug"
)

func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400) // a command lives for a moment: a fifth of its time was spent on collecting
	}
	os.Exit(run(os.Args[1:], streams{in: os.Stdin, out: os.Stdout, err: os.Stderr}))
}
