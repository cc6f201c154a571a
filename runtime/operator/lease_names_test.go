package operator_test

import (
	"strings"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/opgen-dev/opgen/runtime/internal/process"
)

// The lease was named after the program's file, which may be renamed.
func TestLeaseIsNamedAfterTheProject(t *testing.T) {
	ofProject := func() *author {
		return &author{sync: desireWeb, alter: func(d *siteDefinition) { d.Project = "sites" }}
	}
	program := func(name string) func(*process.Settings) {
		return func(s *process.Settings) { s.Program = name }
	}
	t.Run("beside a replica of the release before", func(t *testing.T) {
		f := alone(t)
		old := f.replicaWith(&author{sync: desireWeb}, func(s *process.Settings) { s.LeaderElectID = "site-operator" })
		leader := f.holderOf("site-operator", "")
		f.replicaWith(ofProject(), program("site-operator"))
		f.staysAlone("site-operator", leader)
		old.stop()
		if err := old.ends(t); err != nil {
			t.Error(err)
		}
		next := f.holder(leader)
		if former := f.holderOf("site-operator", leader); former != next {
			t.Errorf("one lease is held by %s, the other by %s", former, next)
		}
		f.replicaWith(&author{sync: desireWeb}, func(s *process.Settings) { s.LeaderElectID = "site-operator" })
		f.staysAlone("site-operator", next)
	})
	t.Run("beside a replica whose file has another name", func(t *testing.T) {
		f := alone(t)
		first := f.replicaWith(ofProject(), program("site-operator"))
		leader := f.holder("")
		f.replicaWith(ofProject(), program("renamed"))
		f.staysAlone("sites", leader)
		first.stop()
		if err := first.ends(t); err != nil {
			t.Error(err)
		}
		f.holder(leader)
		f.Create(f.site)
		f.status("Ready", "Ready")
	})
	for _, name := range []string{"sites", "site-operator"} {
		t.Run("the lease "+name+" is lost", func(t *testing.T) {
			f := alone(t)
			r := f.replicaWith(ofProject(), program("site-operator"))
			f.holder("")
			f.holderOf("site-operator", "")
			f.steal(name)
			if err := r.ends(t); err == nil || !strings.Contains(err.Error(), "was taken over by thief") {
				t.Errorf("the replica ended with %v", err)
			}
		})
	}
	t.Run("a lease that --leader-elect-id names", func(t *testing.T) {
		f := alone(t)
		f.replicaWith(ofProject(), func(s *process.Settings) { s.Program = "site-operator"; s.LeaderElectID = "shard-1" })
		f.holderOf("shard-1", "")
		for _, name := range []string{"sites", "site-operator"} {
			if f.Get(named(&coordinationv1.Lease{}, name)) {
				t.Errorf("it holds the lease %s, too", name)
			}
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
