package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// operator is the process of the project's operator.
type operator struct {
	project *project
	cmd     *exec.Cmd // nil when it does not run
	exited  chan error
	log     string // file
}

// start runs the built operator with its log in a file.
func (o *operator) start(context.Context) error {
	o.log = filepath.Join(o.project.temp, "operator.log")
	log, err := os.Create(o.log)
	if err != nil {
		return err
	}
	defer log.Close()
	cmd := newCommand(context.Background(), o.project.env(), o.project.temp, filepath.Join(o.project.dir, "bin", "manager"),
		"--metrics-bind-address=0", "--health-probe-bind-address=0")
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		return err
	}
	o.cmd, o.exited = cmd, make(chan error, 1)
	go func() { o.exited <- cmd.Wait() }()
	return nil
}

// stop asks the operator to end and requires that it does so cleanly.
func (o *operator) stop(context.Context) error {
	if o.cmd == nil {
		return nil
	}
	process := o.cmd.Process
	o.cmd = nil
	if err := process.Signal(syscall.SIGTERM); err != nil {
		return fmt.Errorf("the operator was no longer running: %w", err)
	}
	select {
	case err := <-o.exited:
		return err
	case <-time.After(endGrace):
		return errors.Join(fmt.Errorf("the operator did not end within %s", endGrace), process.Kill())
	}
}

// cleanUp stops the operator where it still runs, and prints its log if the demo failed.
func (o *operator) cleanUp(ctx context.Context, failed bool) error {
	err := o.stop(ctx)
	if !failed || o.log == "" {
		return err
	}
	log, readErr := os.ReadFile(o.log)
	if readErr != nil {
		return errors.Join(err, readErr)
	}
	o.project.screen.print("the operator's log:\n%s", log)
	return err
}
