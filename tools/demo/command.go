package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// endGrace is how long an interrupted command has to end by itself.
const endGrace = 30 * time.Second

// newCommand prepares a command that ends with ctx, together with what it has started.
func newCommand(ctx context.Context, env []string, dir, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = dir, env
	cmd.WaitDelay = endGrace
	ownGroup(cmd)
	return cmd
}

// runCommand runs a command to its end and returns its standard output. An error has everything
// that it printed.
func runCommand(cmd *exec.Cmd) ([]byte, error) {
	var stdout bytes.Buffer
	var all transcript
	cmd.Stdout, cmd.Stderr = io.MultiWriter(&stdout, &all), &all
	if err := cmd.Run(); err != nil {
		return nil, commandError(cmd, err, &all)
	}
	return stdout.Bytes(), nil
}

func commandError(cmd *exec.Cmd, err error, printed *transcript) error {
	line := strings.Join(append([]string{filepath.Base(cmd.Path)}, cmd.Args[1:]...), " ")
	return fmt.Errorf("%s: %w\n%s", line, err, printed.text())
}

// background is a command that runs beside the steps.
type background struct {
	printed transcript
	ended   chan struct{} // closed when the command has ended
	err     error         // set when ended is closed
	took    time.Duration // set when ended is closed
}

// startCommand starts a command in the background.
func startCommand(cmd *exec.Cmd) (*background, error) {
	b := &background{ended: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = &b.printed, &b.printed
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		defer close(b.ended)
		if err := cmd.Wait(); err != nil {
			b.err = commandError(cmd, err, &b.printed)
		}
		b.took = time.Since(start)
	}()
	return b, nil
}

// wait returns when the command has ended.
func (b *background) wait() error {
	<-b.ended
	return b.err
}

// running reports whether the command has not ended.
func (b *background) running() bool {
	select {
	case <-b.ended:
		return false
	default:
		return true
	}
}

// transcript keeps what commands print, while others read it.
type transcript struct {
	mu   sync.Mutex
	data bytes.Buffer
}

func (t *transcript) Write(data []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.data.Write(data)
}

func (t *transcript) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.data.String()
}

// lastLine returns the last line that is complete.
func (t *transcript) lastLine() string {
	lines := strings.Split(t.text(), "\n")
	if len(lines) < 2 {
		return ""
	}
	return lines[len(lines)-2]
}
