package main

import (
	"fmt"

	"github.com/opgen-dev/opgen/internal/scaffold"
)

// hold waits until no other opgen works in a folder, which is made when it is absent, and says so when one has been
// stopped there while it wrote.
func hold(s streams, dir string) (*scaffold.Held, error) {
	done := patience(s.err, "waiting for another opgen in this folder")
	held, err := scaffold.Hold(dir)
	done()
	if err != nil {
		return nil, err
	}
	if held.Undone {
		fmt.Fprintln(s.err, "an opgen was stopped here while it wrote: what it had written is undone")
	}
	return held, nil
}
