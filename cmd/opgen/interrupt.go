package main

import (
	"context"
	"fmt"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/opgen-dev/opgen/internal/tree"
)

// interruptGrace is how long a command has to end by itself once it is interrupted.
const interruptGrace = 700 * time.Millisecond

// writing is held while changes are made in a folder: only a second signal ends the process
// meanwhile.
var writing sync.Mutex

// applyChanges makes the pending changes in dir, all of them even if the command is interrupted.
func applyChanges(changes *tree.Changes, dir string) error {
	writing.Lock()
	defer writing.Unlock()
	return changes.Apply(dir)
}

// untilInterrupted runs a command and returns its exit code. SIGINT and SIGTERM cancel its context;
// a command that does not end then is left alone as soon as it writes nothing. A second signal ends
// the process at once.
func untilInterrupted(s streams, command func(ctx context.Context) int) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	code := make(chan int, 1)
	go func() { code <- command(ctx) }()
	select {
	case done := <-code:
		return done
	case <-ctx.Done():
	}
	stop() // from here on, signals have their usual effect
	select {
	case done := <-code:
		return done
	case <-time.After(interruptGrace):
	}
	writing.Lock() // for good: nothing is written from here on
	select {
	case done := <-code: // it has written everything
		return done
	default:
	}
	fmt.Fprintln(s.err, "interrupted")
	return exitTrouble
}
