package process

import (
	"context"
	"errors"
	"strconv"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// memoryLock is a lock that holds the last record.
type memoryLock struct{ resourcelock.Interface }

func (memoryLock) Update(context.Context, resourcelock.LeaderElectionRecord) error { return nil }
func (memoryLock) Identity() string                                                { return "us" }
func (memoryLock) Describe() string                                                { return "ns/sites" }

func TestWritesEndWithTheLease(t *testing.T) {
	long := leaseTimeout + time.Second
	for name, test := range map[string]struct {
		happens func(*lease)
		release bool
		loss    bool
	}{
		"the lease was just renewed":                  {happens: func(*lease) {}},
		"the machine was suspended":                   {happens: func(l *lease) { l.renewedWall = l.renewedWall.Add(-long) }, loss: true},
		"the wall clock was set back":                 {happens: func(l *lease) { l.renewed, l.renewedWall = l.renewed.Add(-long), l.renewedWall.Add(long) }, loss: true},
		"the lease is released":                       {happens: func(l *lease) { _ = l.Update(t.Context(), resourcelock.LeaderElectionRecord{}) }, release: true},
		"another replica holds it":                    {happens: func(l *lease) { l.endIfLeading("thief") }, loss: true},
		"another holds it after the reconciles ended": {happens: func(l *lease) { l.onLoss(errLeaseLost{}); l.endIfLeading("thief") }, loss: true},
	} {
		t.Run(name, func(t *testing.T) {
			l := &lease{Interface: memoryLock{}, onLoss: func(error) {}, metric: prometheus.NewGauge(prometheus.GaugeOpts{Name: "lease"})}
			life := &lifetime{lease: l}
			if err := l.Update(t.Context(), resourcelock.LeaderElectionRecord{HolderIdentity: "us"}); err != nil {
				t.Fatal(err)
			}
			defer l.stopTimer()
			test.happens(l)
			err := life.writeError()
			if errors.As(err, new(errLeaseLost)) != test.loss || errors.As(err, new(errLeaseReleased)) != test.release {
				t.Errorf("writes end with %v", err)
			}
			l.stopTimer()
			if again := life.writeError(); (again == nil) != (err == nil) {
				t.Errorf("after the end of the operator: %v, before: %v", again, err)
			}
		})
	}
}

func TestLeaseName(t *testing.T) {
	ofProjects := func(names ...string) (controllers []Controller) {
		for i, name := range names {
			controllers = append(controllers, NewController(strconv.Itoa(i), name, nil, nil))
		}
		return controllers
	}
	for name, test := range map[string]struct {
		id          string
		controllers []Controller
		want        string
	}{
		"the project's":                         {"", ofProjects("sites", "sites"), "sites"},
		"that of --leader-elect-id":             {"shard-1", ofProjects("sites"), "shard-1"},
		"the project's, with another of none":   {"", ofProjects("", "sites"), "sites"},
		"the program's without a project":       {"", ofProjects("", ""), "manager"},
		"the program's without any controllers": {"", nil, "manager"},
	} {
		t.Run(name, func(t *testing.T) {
			settings := Settings{Options: Options{LeaderElectID: test.id}, Program: "manager"}
			if got := leaseName(settings, test.controllers); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

// The first cause counts, and writes never begin again.
func TestReleasedLeaseStaysReleased(t *testing.T) {
	l := &lease{Interface: memoryLock{}, onLoss: func(error) {}, metric: prometheus.NewGauge(prometheus.GaugeOpts{Name: "lease"})}
	defer l.stopTimer()
	for _, holder := range []string{"us", "", "us"} {
		if err := l.Update(t.Context(), resourcelock.LeaderElectionRecord{HolderIdentity: holder}); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.writeError(); !errors.As(err, new(errLeaseReleased)) {
		t.Errorf("writes end with %v", err)
	}
}
