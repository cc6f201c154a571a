package instance

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
	"github.com/opgen-dev/opgen/runtime/operatortest/internal/diff"
	"github.com/opgen-dev/opgen/runtime/operatortest/internal/fault"
	"github.com/opgen-dev/opgen/runtime/operatortest/internal/requests"
)

// process is a running operator.
type process struct {
	Control    *testcontrol.Control
	connection *fault.Connection
	events     int // number of requests about Events before it was started

	stop  context.CancelFunc
	ended chan struct{}
	err   error // once ended is closed
}

// Stop stops the operator and waits until it has ended.
func (o *Operator) Stop() {
	o.T.Helper()
	o.mu.Lock()
	stopping := o.running
	o.running = nil
	o.mu.Unlock()
	if stopping == nil {
		return
	}
	stopping.stop()
	<-stopping.ended
	if stopping.err != nil && !stopping.connection.IsDead() {
		o.T.Errorf("the operator ended with: %v", stopping.err)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.stopped = stopping.Control.Loops()
}

// RunningProcess returns the operator that runs. It is nil while the operator is stopped.
func (o *Operator) RunningProcess() *process {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.running
}

// Start starts the operator.
func (o *Operator) Start() {
	o.T.Helper()
	options := o.ProcessOptions()
	o.mu.Lock()
	defer o.mu.Unlock()
	o.running = o.startProcess(options, "", nil)
}

// releaseTime is how long a process waits until the crashed one before it has ended and released
// its ports.
const releaseTime = time.Second

// ProcessOptions returns the options of the next process.
func (o *Operator) ProcessOptions() operator.Options {
	options := operator.Defaults()
	options.Namespaces, options.LeaderElectNamespace = []string{o.Namespace}, o.Namespace // its own, too
	o.setWebhooks(&options)
	options.Logger = slog.New(quiet{slog.NewTextHandler(o.output, nil)})
	if o.Config.Options != nil {
		o.Config.Options(&options)
	}
	return options
}

// startProcess starts an operator. Its caches begin with the resource version past, if there is
// one. It waits for a crashed process before it, if there is one. The caller holds the lock.
func (o *Operator) startProcess(options operator.Options, past string, crashed *process) *process {
	ctx, stop := context.WithCancel(context.Background())
	_, events := o.Sent.PendingAndEvents()
	started := &process{
		Control:    &testcontrol.Control{Clock: &o.Clock, Recorded: o.Recorded, Differ: diff.AnswersDiffer, Author: o.Author, Shown: o.Shown, Changed: o.changes.noteObject},
		connection: fault.NewConnection(&o.Faults, past), events: events,
		stop: stop, ended: make(chan struct{}),
	}
	started.connection.Crash = func(what fault.What) { o.replaceCrashed(started, what) }
	started.connection.Started = started.Control.Started
	started.connection.IsParents = func(resource string) bool { return o.isParentResource(started.Control, resource) }
	settings := opprocess.Settings{Options: opprocess.Options(options), Program: opprocess.DefaultProgram, DiscoverEvery: time.Second, Control: started.Control}
	server := o.restConfig(started.connection)
	go func() {
		defer close(started.ended)
		if crashed != nil {
			select {
			case <-crashed.ended:
			case <-time.After(releaseTime):
			}
		}
		if ctx.Err() == nil {
			started.err = opprocess.Run(ctx, server, settings, o.Config.Controllers)
		}
	}()
	return started
}

// restConfig returns the client configuration of a process of the operator.
func (o *Operator) restConfig(connection *fault.Connection) *rest.Config {
	server := rest.CopyConfig(o.Server)
	server.UserAgent = o.userAgent()
	server.Impersonate.UserName = o.Config.User
	server.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return &requests.Transport{Next: next, Sent: &o.Sent, Written: &o.Written}
	})
	server.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return &fault.Transport{Next: next, Connection: connection}
	})
	if o.Config.Transport != nil {
		server.Wrap(o.Config.Transport)
	}
	return server
}

// isParentResource reports whether a controller has parents of a resource.
func (o *Operator) isParentResource(control *testcontrol.Control, resource string) bool {
	for _, loop := range control.Loops() {
		mapping, err := o.Client.RESTMapper().RESTMapping(loop.Parent.GroupKind(), loop.Parent.Version)
		if err == nil && mapping.Resource.Resource == resource {
			return true
		}
	}
	return false
}

// replaceCrashed ends a process at once, and starts another one unless the operator was stopped
// meanwhile.
func (o *Operator) replaceCrashed(crashed *process, what fault.What) {
	options := o.ProcessOptions()
	o.mu.Lock()
	defer o.mu.Unlock()
	if crashed.connection.IsDead() {
		return
	}
	crashed.connection.MarkDead()
	crashed.stop()
	if o.running != crashed {
		return
	}
	o.crashed = append(o.crashed, crashed)
	past := ""
	if what == fault.TimeTravel {
		past = o.Faults.PastVersion()
	}
	o.stopped, o.running = crashed.Control.Loops(), o.startProcess(options, past, crashed)
}

// awaitCrashed waits until all crashed processes have ended.
func (o *Operator) awaitCrashed() {
	o.mu.Lock()
	crashed := o.crashed
	o.mu.Unlock()
	deadline := time.After(Patience())
	for _, process := range crashed {
		select {
		case <-process.ended:
		case <-deadline:
			o.T.Error("an operator that has crashed does not end: a call of Sync or Finalize does not return")
			return
		}
	}
}

// ExitError returns why the operator has ended by itself. It is nil while the operator runs.
func (o *Operator) ExitError() error {
	running := o.RunningProcess()
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
