package main

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// contender is a way to operate EchoServers.
type contender struct {
	key     string
	title   string
	binary  string
	args    []string
	watches bool // it is an operator, that runs until it is told to stop
}

// userAgent is what its requests are known by.
func (c contender) userAgent() string { return filepath.Base(c.binary) }

// usage is what a process has used in its life.
type usage struct {
	cpu    time.Duration
	memory int64 // at its peak, in bytes
}

func (u *usage) add(other usage) {
	u.cpu += other.cpu
	u.memory = max(u.memory, other.memory)
}

// process is a contender that runs.
type process struct {
	contender
	cmd     *exec.Cmd
	log     *os.File
	metrics string // a URL
	started time.Time
	ended   chan error
}

// start runs a contender. What it logs goes into a file in dir.
func (c contender) start(ctx context.Context, kubeconfig, dir string, more ...string) (*process, error) {
	log, err := os.OpenFile(filepath.Join(dir, c.key+".log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return nil, err
	}
	p := &process{contender: c, log: log, ended: make(chan error, 1)}
	args := append(append([]string{}, c.args...), more...)
	if c.watches {
		address, err := freeAddress()
		if err != nil {
			return nil, err
		}
		args = append(args, "--metrics-bind-address", address)
		p.metrics = "http://" + address + "/metrics"
	}
	p.cmd = exec.CommandContext(ctx, c.binary, args...)
	p.cmd.Env = append(os.Environ(), "KUBECONFIG="+kubeconfig)
	p.cmd.Stdout, p.cmd.Stderr = log, log
	p.cmd.WaitDelay = time.Minute
	p.started = time.Now()
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go func() { p.ended <- p.cmd.Wait() }()
	return p, nil
}

// failed returns why the process has ended before its time, nil while it runs.
func (p *process) failed() error {
	select {
	case err := <-p.ended:
		p.ended <- err
		if err == nil && !p.watches {
			return nil
		}
		return fmt.Errorf("%s ended: %w, see %s", p.title, err, p.log.Name())
	default:
		return nil
	}
}

// stop tells an operator to end, waits for the end of the process, and returns what it has used.
func (p *process) stop() (usage, error) {
	if p.watches {
		if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
			return usage{}, fmt.Errorf("%s: %w, see %s", p.title, err, p.log.Name())
		}
	}
	select {
	case err := <-p.ended:
		p.ended <- err
		if err != nil {
			return usage{}, fmt.Errorf("%s: %w, see %s", p.title, err, p.log.Name())
		}
	case <-time.After(10 * time.Minute):
		return usage{}, fmt.Errorf("%s does not end", p.title)
	}
	return usageOf(p.cmd.ProcessState), nil
}

// kill ends what is left of the process when something has gone wrong.
func (p *process) kill() {
	_ = p.cmd.Process.Kill() // which is an error when it has ended, as it should have
	p.log.Close()
}

// counters sums up metrics by their names.
func (p *process) counters(ctx context.Context) (map[string]float64, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, p.metrics, nil)
	if err != nil {
		return nil, err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	sums := map[string]float64{}
	lines := bufio.NewScanner(answer.Body)
	for lines.Scan() {
		line := lines.Text()
		end, value := strings.IndexAny(line, "{ "), strings.LastIndexByte(line, ' ')
		if strings.HasPrefix(line, "#") || end < 0 {
			continue
		}
		number, err := strconv.ParseFloat(line[value+1:], 64)
		if err != nil {
			return nil, fmt.Errorf("metric %s: %w", line, err)
		}
		sums[line[:end]] += number
	}
	return sums, lines.Err()
}

func freeAddress() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer listener.Close()
	return listener.Addr().String(), nil
}
