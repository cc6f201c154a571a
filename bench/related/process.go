package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// counts is what an operator says of itself.
type counts struct {
	Requests int // to the API server, discovery included
	Reads    int // of them gets of Secrets
	Watches  int // that are open
	Synced   int // parents for which Sync was called
}

// process is an operator that runs.
type process struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// start runs this program as an operator.
func start(ctx context.Context, entry, namespace string) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	p := &process{cmd: exec.CommandContext(ctx, self, "--"+operatorFlag, entry, "--namespace", namespace)}
	p.cmd.Stderr = os.Stderr
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.out = bufio.NewReader(out)
	return p, p.cmd.Start()
}

// counts asks the operator what it has done.
func (p *process) counts() (answer counts, err error) {
	if _, err := fmt.Fprintln(p.in); err != nil {
		return answer, err
	}
	line, err := p.out.ReadBytes('\n')
	if err != nil {
		return answer, err
	}
	return answer, json.Unmarshal(line, &answer)
}

// awaitSync waits until Sync was called for all parents.
func (p *process) awaitSync(ctx context.Context, parents int) error {
	for deadline := time.Now().Add(5 * time.Minute); ; {
		now, err := p.counts()
		if err != nil || now.Synced == parents {
			return err
		}
		if time.Now().After(deadline) || ctx.Err() != nil {
			return errors.New("the operator does not reconcile all parents")
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// memory returns the resident memory of the operator, and its peak.
func (p *process) memory() (now, peak int64, err error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		return 0, 0, err
	}
	for line := range strings.Lines(string(status)) {
		fields := strings.Fields(line)
		if len(fields) < 2 {
			continue
		}
		kibibytes, _ := strconv.ParseInt(fields[1], 10, 64) // other lines have no number
		switch fields[0] {
		case "VmRSS:":
			now = kibibytes << 10
		case "VmHWM:":
			peak = kibibytes << 10
		}
	}
	return now, peak, nil
}

// kill ends the operator.
func (p *process) kill() {
	p.in.Close()
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
}
