// Command opgen turns the spec file of a Kubernetes operator into a project that runs.
//
// The files of this package are the commands, one each; main.go and root.go hold what they share.
// It is the only package that knows cobra and viper, prints, or decides an exit code: everything
// else takes values and returns values.
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
