package operator_test

import (
	"fmt"
	"log/slog"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/opgen-dev/opgen/runtime/internal/process"
)

// authorOf returns an author of a project whose controller has its own name.
func authorOf(project string) *author {
	return &author{
		sync:  desire(func(want *Desired) { want.ConfigMaps.Add(configMap(project, "one")) }),
		alter: func(d *siteDefinition) { d.Project, d.Name = project, project },
	}
}

// The lease is named after the project, also where the program's file has another name, and in a
// program of the author's.
func TestLeaseIsNamedAfterTheProject(t *testing.T) {
	program := func(name string) func(*process.Settings) {
		return func(s *process.Settings) { s.Program = name }
	}
	t.Run("two replicas, one with a renamed file", func(t *testing.T) {
		f := alone(t)
		first := f.replicaWith(authorOf("sites"), program("manager"))
		leader := f.holder("")
		var log lines
		f.replicaWith(authorOf("sites"), func(s *process.Settings) {
			s.Program, s.Logger = "renamed", slog.New(slog.NewTextHandler(&log, nil))
		})
		waits := fmt.Sprintf(`msg="waits for the lease, which another process holds" lease=%s/sites holder=%s`, f.Namespace, leader)
		f.Eventually("the log names the lease and its holder", func() error {
			if log.count(waits) == 0 {
				return fmt.Errorf("it has no %s in:\n%s", waits, log.String())
			}
			return nil
		})
		f.staysAlone("sites", leader)
		if count := log.count("waits for the lease"); count != 1 {
			t.Errorf("it says %d times that it waits", count)
		}
		for _, name := range []string{"manager", "renamed"} {
			if f.Get(named(&coordinationv1.Lease{}, name)) {
				t.Errorf("there is a lease %s, too", name)
			}
		}
		first.stop()
		if err := first.ends(t); err != nil {
			t.Error(err)
		}
		f.holder(leader)
		f.Create(f.site)
		f.status("Ready", "Ready")
	})
	t.Run("two projects in one namespace", func(t *testing.T) {
		f := alone(t)
		for _, project := range []string{"shops", "towns"} {
			f.replicaWith(authorOf(project), func(s *process.Settings) {
				s.Program, s.ParentSelector = "manager", "project="+project
			})
			parent := site(project)
			parent.Labels = map[string]string{"project": project}
			f.Create(parent)
			f.Exists(configMap(project, ""))
		}
		if shops, towns := f.holderOf("shops", ""), f.holderOf("towns", ""); shops == towns {
			t.Errorf("%s holds both leases", shops)
		}
	})
	t.Run("a lease that --leader-elect-id names", func(t *testing.T) {
		f := alone(t)
		f.replicaWith(authorOf("sites"), func(s *process.Settings) { s.LeaderElectID = "shard-1" })
		f.holderOf("shard-1", "")
		if f.Get(named(&coordinationv1.Lease{}, "sites")) {
			t.Error("it holds the lease sites, too")
		}
	})
}

// staysAlone waits for as long as another replica needs to take a lease that it may.
func (f *fixture) staysAlone(lease, leader string) {
	f.t.Helper()
	time.Sleep(5 * time.Second)
	if now := f.holderOf(lease, ""); now != leader {
		f.t.Errorf("%s is held by %s, and was by %s", lease, now, leader)
	}
}

func configMapIn(namespace, name string) *corev1.ConfigMap {
	child := configMap(name, "one")
	child.Namespace = namespace
	return child
}
