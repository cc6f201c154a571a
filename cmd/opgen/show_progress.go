package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"
)

// showProgress shows a line on a terminal if something takes longer than two seconds, with the time
// that it has taken so far. The returned function clears the line.
func showProgress(out io.Writer, what string) (done func()) {
	if file, isFile := out.(*os.File); !isFile || !term.IsTerminal(int(file.Fd())) {
		return func() {}
	}
	return showAfter(2*time.Second, out, what)
}

// showAfter shows a line after a delay, and updates its time every second. The returned function
// clears it.
func showAfter(while time.Duration, out io.Writer, what string) (done func()) {
	begin, over, cleared := time.Now(), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(cleared)
		wait := time.NewTimer(while)
		defer wait.Stop()
		for shown := false; ; shown = true {
			select {
			case <-over:
				if shown {
					fmt.Fprint(out, "\r\033[K")
				}
				return
			case <-wait.C:
				fmt.Fprintf(out, "\r\033[K%s, %s", what, time.Since(begin).Round(time.Second))
				wait.Reset(time.Second)
			}
		}
	}()
	return func() { close(over); <-cleared }
}
