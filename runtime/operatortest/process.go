package operatortest

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"k8s.io/client-go/rest"

	opprocess "github.com/opgen-dev/opgen/runtime/internal/process"
	"github.com/opgen-dev/opgen/runtime/internal/testcontrol"
	"github.com/opgen-dev/opgen/runtime/operator"
)

// process is a running operator.
type process struct {
	control    *testcontrol.Control
	connection *connection
	events     int // number of requests about Events before it was started

	stop  context.CancelFunc
	ended chan struct{}
	err   error // once ended is closed
}

// Restart stops the operator and starts it again, with empty memory.
func (c *Cluster) Restart() {
	c.t.Helper()
	c.Stop()
	startOperator(c)
}

// Stop stops the operator and waits until it has ended.
func (c *Cluster) Stop() {
	c.t.Helper()
	c.mu.Lock()
	stopping := c.running
	c.running = nil
	c.mu.Unlock()
	if stopping == nil {
		return
	}
	stopping.stop()
	<-stopping.ended
	if stopping.err != nil && !stopping.connection.isDead() {
		c.t.Errorf("the operator ended with: %v", stopping.err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stopped = stopping.control.Loops()
}

// runningProcess returns the operator that runs. It is nil while the operator is stopped.
func runningProcess(c *Cluster) *process {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.running
}

// startOperator starts the operator.
func startOperator(c *Cluster) {
	c.t.Helper()
	options := processOptions(c)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running = startProcess(c, options, "", nil)
}

// releaseTime is how long a process waits until the crashed one before it has ended and released
// its ports.
const releaseTime = time.Second

// processOptions returns the options of the next process.
func processOptions(c *Cluster) operator.Options {
	options := operator.Defaults()
	options.Namespace, options.LeaderElectNamespace = c.Namespace, c.Namespace // its own, too
	options.Logger = slog.New(slog.NewTextHandler(c.t.Output(), nil))
	if c.config.Options != nil {
		c.config.Options(&options)
	}
	return options
}

// startProcess starts an operator. Its caches begin with the resource version past, if there is
// one. It waits for a crashed process before it, if there is one. The caller holds the lock.
func startProcess(c *Cluster, options operator.Options, past string, crashed *process) *process {
	ctx, stop := context.WithCancel(context.Background())
	_, events := c.sent.pendingAndEvents()
	started := &process{
		control:    &testcontrol.Control{Clock: c.clock, Recorded: c.history.addRecord, Differ: answersDiffer, Author: c.config.author, Shown: c.config.shown},
		connection: newConnection(c.faults, past), events: events,
		stop: stop, ended: make(chan struct{}),
	}
	started.connection.crash = func(what What) { replaceCrashed(c, started, what) }
	started.connection.isParents = func(resource string) bool { return areParents(c, started.control, resource) }
	settings := opprocess.Settings{Options: opprocess.Options(options), Program: opprocess.DefaultProgram, DiscoverEvery: time.Second, Control: started.control}
	server := restConfig(c, started.connection)
	go func() {
		defer close(started.ended)
		if crashed != nil {
			select {
			case <-crashed.ended:
			case <-time.After(releaseTime):
			}
		}
		if ctx.Err() == nil {
			started.err = opprocess.Run(ctx, server, settings, c.config.Controllers)
		}
	}()
	return started
}

// restConfig returns the client configuration of a process of the operator.
func restConfig(c *Cluster, connection *connection) *rest.Config {
	server := rest.CopyConfig(c.server)
	server.UserAgent = userAgent(c)
	server.Impersonate.UserName = c.config.User
	server.Wrap(func(next http.RoundTripper) http.RoundTripper { return &counting{next, c.sent} })
	server.Wrap(func(next http.RoundTripper) http.RoundTripper { return &faultTransport{next, connection} })
	if c.config.Transport != nil {
		server.Wrap(c.config.Transport)
	}
	return server
}

// areParents reports whether a controller has parents of a resource.
func areParents(c *Cluster, control *testcontrol.Control, resource string) bool {
	for _, loop := range control.Loops() {
		mapping, err := c.Client.RESTMapper().RESTMapping(loop.Parent.GroupKind(), loop.Parent.Version)
		if err == nil && mapping.Resource.Resource == resource {
			return true
		}
	}
	return false
}

// replaceCrashed ends a process at once, and starts another one unless the operator was stopped
// meanwhile.
func replaceCrashed(c *Cluster, crashed *process, what What) {
	options := processOptions(c)
	c.mu.Lock()
	defer c.mu.Unlock()
	if crashed.connection.isDead() {
		return
	}
	crashed.connection.markDead()
	crashed.stop()
	if c.running != crashed {
		return
	}
	c.crashed = append(c.crashed, crashed)
	past := ""
	if what == TimeTravel {
		past = c.faults.pastVersion()
	}
	c.stopped, c.running = crashed.control.Loops(), startProcess(c, options, past, crashed)
}

// awaitCrashed waits until all crashed processes have ended.
func awaitCrashed(c *Cluster) {
	c.mu.Lock()
	crashed := c.crashed
	c.mu.Unlock()
	deadline := time.After(patience)
	for _, process := range crashed {
		select {
		case <-process.ended:
		case <-deadline:
			c.t.Error("an operator that has crashed does not end: a call of Sync or Finalize does not return")
			return
		}
	}
}

// exitError returns why the operator has ended by itself. It is nil while the operator runs.
func exitError(c *Cluster) error {
	running := runningProcess(c)
	if running == nil {
		return nil
	}
	select {
	case <-running.ended:
		return cmp.Or(running.err, errors.New("without an error"))
	default:
		return nil
	}
}
