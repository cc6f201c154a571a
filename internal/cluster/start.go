package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"
)

// startTimeout bounds one start. It usually takes two seconds, but many times that on a busy
// machine.
const startTimeout = 2 * time.Minute

// startAttempts bounds how often a start is repeated because another program took a port.
const startAttempts = 5

// errPortTaken is returned by a start that lost the race for a port.
var errPortTaken = errors.New("a port was taken by another program")

// startOnFreePorts starts the instance, with other ports if one was taken meanwhile.
func startOnFreePorts(ctx context.Context, o Options, assets Assets) (*Instance, error) {
	o.Progress.report(Progress{Phase: PhaseStarting})
	for attempt := 1; ; attempt++ {
		p, err := freePorts()
		if err != nil {
			return nil, err
		}
		instance := &Instance{
			Name:      o.Name,
			Version:   assets.Version,
			Dir:       o.State.instanceDir(o.Name),
			Assets:    assets.Dir,
			Server:    "https://" + loopbackAddress(p.apiServer),
			StartedAt: time.Now().UTC(),
		}
		if o.Node {
			instance.Node = newNodeRecord(o.Name, instance.Dir, p)
		}
		err = instance.start(ctx, assets, p)
		if err == nil {
			return instance, nil
		}
		if removeErr := instance.remove(ctx); removeErr != nil {
			return nil, errors.Join(err, removeErr)
		}
		if ctx.Err() != nil {
			return nil, fmt.Errorf("start of cluster %q interrupted, nothing of it is left: %w", o.Name, context.Cause(ctx))
		}
		if !errors.Is(err, errPortTaken) || attempt == startAttempts {
			return nil, fmt.Errorf("start cluster %q: %w", o.Name, err)
		}
	}
}

// start starts the programs and waits until they work. On an error it leaves the started processes
// to the caller.
func (i *Instance) start(ctx context.Context, assets Assets, p ports) error {
	if err := i.makeFolder(); err != nil {
		return err
	}
	if err := i.prepareFolder(); err != nil {
		return err
	}
	processes, err := i.holdProcesses(assets, p)
	if err != nil {
		return err
	}
	for _, process := range processes {
		if err := process.release(); err != nil {
			return err
		}
	}
	return i.awaitReady(ctx, processes)
}

// holdProcesses starts the programs as held processes and saves their pids in the record.
func (i *Instance) holdProcesses(assets Assets, p ports) ([]*heldProcess, error) {
	if i.Node != nil {
		return i.holdNode(assets, p)
	}
	var processes []*heldProcess
	abandon := func() {
		for _, process := range processes {
			process.abandon()
		}
	}
	for _, program := range i.programs(p, assets.has(controllerManager)) {
		process, err := startHeld(program.name, assets.pathOf(program.name), program.args, i.Log(program.name))
		if err != nil {
			abandon()
			return nil, err
		}
		process.Address = program.address
		processes = append(processes, process)
		i.Processes = append(i.Processes, process.Process)
	}
	if err := i.save(); err != nil {
		abandon()
		return nil, err
	}
	return processes, nil
}

// awaitReady waits until the instance works. It returns an error if one of its programs ends first,
// or after startTimeout.
func (i *Instance) awaitReady(ctx context.Context, processes []*heldProcess) error {
	ctx, cancel := context.WithTimeoutCause(ctx, startTimeout, fmt.Errorf("not ready after %s", startTimeout))
	defer cancel()
	ctx, ended := context.WithCancelCause(ctx)
	defer ended(nil)
	for _, process := range processes {
		go func() {
			select {
			case <-process.exited:
				ended(i.explainEnd(process.Name))
			case <-ctx.Done():
			}
		}()
	}
	client, err := i.newClient()
	if err != nil {
		return err
	}
	defer client.CloseIdleConnections()
	if i.Node == nil {
		return waitUntil(ctx, func() bool { return i.answersRequests(ctx, client) })
	}
	if err := waitUntil(ctx, func() bool { return answersOK(ctx, client, i.Server+"/readyz") }); err != nil {
		return err
	}
	if err := i.createNodeObjects(ctx, client); err != nil {
		return err
	}
	return waitUntil(ctx, func() bool { return i.answersRequests(ctx, client) })
}

// explainEnd returns an error that says why a program ended, from the end of its log. Of a supervisor, whose log names
// the program that has ended, it is the log of that program.
func (i *Instance) explainEnd(program string) error {
	data, err := os.ReadFile(i.Log(program))
	if err != nil {
		return err
	}
	if program == supervisor {
		for _, name := range append(nodeProgramNames(), ctr) {
			if strings.Contains(string(data), " "+name+" ended: ") {
				return i.explainEnd(name)
			}
		}
	}
	var last tail
	for line := range strings.Lines(string(data)) {
		last.add(strings.TrimRight(line, "\n"))
	}
	if strings.Contains(last.String(), "address already in use") {
		return fmt.Errorf("%s: %w", program, errPortTaken)
	}
	if strings.Contains(string(data), noSpaceLeft) {
		return fmt.Errorf("%s: %w", program, i.noSpaceError())
	}
	return fmt.Errorf("%s ended:\n%s", program, last.String())
}
