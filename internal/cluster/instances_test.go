package cluster

import (
	"context"
	"errors"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
)

func TestTwoInstancesSideBySide(t *testing.T) {
	first := realOptions(t, "first")
	second := first
	second.Name = "second"
	var starting sync.WaitGroup
	for _, o := range []Options{first, second} {
		starting.Go(func() { up(t, o) })
	}
	starting.Wait()
	if t.Failed() {
		t.FailNow()
	}
	list, err := List(first.State)
	if err != nil {
		t.Fatal(err)
	}
	addresses := map[string]bool{}
	for _, status := range list {
		if status.State != StateRunning {
			t.Errorf("%s is %s", status.Name, status.State)
		}
		for _, p := range status.Processes {
			if p.Address != "" && (addresses[p.Address] || !strings.HasPrefix(p.Address, "127.0.0.1:")) {
				t.Errorf("%s of %s listens on %s", p.Name, status.Name, p.Address)
			}
			addresses[p.Address] = true
			if status.Memory[p.Name] == 0 {
				t.Errorf("%s of %s has no memory", p.Name, status.Name)
			}
		}
		again, err := Up(t.Context(), Options{Name: status.Name, Cache: first.Cache, State: first.State})
		if err != nil || !again.Existed || again.Server != status.Server {
			t.Errorf("Up of the running %s = %+v, %v", status.Name, again, err)
		}
	}

	if existed, err := Down(t.Context(), first.State, "first"); !existed || err != nil {
		t.Errorf("Down = %t, %v", existed, err)
	}
	for _, p := range list[0].Processes {
		if p.Running() {
			t.Errorf("%s of first still runs", p.Name)
		}
	}
	if _, err := Find(first.State, "second"); err != nil {
		t.Errorf("taking first down hurt second: %v", err)
	}
	if _, err := Down(t.Context(), first.State, "second"); err != nil {
		t.Error(err)
	}
	expectEmpty(t, first.State.clustersDir())
}

func TestUpReplacesABrokenInstance(t *testing.T) {
	o := realOptions(t, "broken")
	before := up(t, o)
	victim := before.Processes[1]
	if err := killProcess(victim.PID); err != nil {
		t.Fatal(err)
	}
	eventually(t, victim.Name+" is gone", func() bool { return !victim.Running() })
	list, err := List(o.State)
	if err != nil || len(list) != 1 || list[0].State != StateBroken {
		t.Errorf("List = %+v, %v", list, err)
	}
	if _, err := Find(o.State, o.Name); !errors.Is(err, ErrNotRunning) {
		t.Errorf("Find = %v, expected ErrNotRunning", err)
	}
	after := up(t, o)
	if after.Existed || !slices.Equal(after.Gone, []string{victim.Name}) {
		t.Errorf("Up = %+v, expected a new start because of %s", after, victim.Name)
	}
	for _, p := range before.Processes {
		if p.Running() {
			t.Errorf("%s of the broken instance still runs", p.Name)
		}
	}
}

func TestInterruptedStartLeavesNothing(t *testing.T) {
	o := realOptions(t, "interrupted")
	if _, err := Build(t.Context(), o.Cache, o.Release, nil); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var started []Process
	go func() {
		defer cancel()
		_ = waitUntil(t.Context(), func() bool {
			instance, err := o.State.loadInstance(o.Name)
			if err == nil && instance != nil {
				started = instance.Processes
			}
			return len(started) > 0
		})
	}()
	if _, err := Up(ctx, o); !errors.Is(err, context.Canceled) {
		t.Errorf("Up = %v, expected to be interrupted", err)
	}
	for _, p := range started {
		if p.Running() {
			t.Errorf("%s still runs", p.Name)
		}
	}
	expectEmpty(t, o.State.clustersDir())
}

func TestTakenPortIsNoticed(t *testing.T) {
	o := realOptions(t, "crowded")
	assets, err := Build(t.Context(), o.Cache, o.Release, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, port := range map[string]func(*ports) *int{
		"etcd":       func(p *ports) *int { return &p.etcd },
		"etcd peers": func(p *ports) *int { return &p.etcdPeer },
		"API server": func(p *ports) *int { return &p.apiServer },
	} {
		t.Run(name, func(t *testing.T) {
			p, err := freePorts()
			if err != nil {
				t.Fatal(err)
			}
			taken, err := net.Listen("tcp4", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer taken.Close()
			*port(&p) = taken.Addr().(*net.TCPAddr).Port
			instance := &Instance{Name: o.Name, Dir: t.TempDir(), Server: "https://" + loopbackAddress(p.apiServer)}
			if err := instance.start(t.Context(), assets, p); !errors.Is(err, errPortTaken) {
				t.Errorf("start = %v, expected errPortTaken", err)
			}
			if err := instance.remove(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}
