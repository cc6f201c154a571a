package operator_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/utils/ptr"

	"github.com/opgen-dev/opgen/runtime/internal/process"
	"github.com/opgen-dev/opgen/runtime/operator"
)

// replica is an operator with leader election in this process.
type replica struct {
	stop  context.CancelFunc
	ended chan error
}

// replica runs one until the test ends. Its requests count as the operator's.
func (f *fixture) replica(a *author, change ...func(*rest.Config)) *replica {
	f.t.Helper()
	return f.replicaWith(a, func(s *process.Settings) { s.LeaderElectID = "sites" }, change...)
}

// replicaWith is replica with other settings.
func (f *fixture) replicaWith(a *author, set func(*process.Settings), change ...func(*rest.Config)) *replica {
	f.t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("OPGEN_TEST_KUBECONFIG"))
	if err != nil {
		f.t.Fatal(err)
	}
	config.UserAgent = fmt.Sprintf("operatortest (%s)", f.Namespace)
	for _, change := range change {
		change(config)
	}
	settings := process.Settings{Options: process.Defaults(), Program: process.DefaultProgram}
	settings.Namespaces = []string{f.Namespace}
	settings.LeaderElect, settings.LeaderElectNamespace = true, f.Namespace
	set(&settings)
	ctx, stop := context.WithCancel(context.Background())
	r := &replica{stop: stop, ended: make(chan error, 1)}
	done := make(chan struct{})
	go func() {
		defer close(done)
		r.ended <- process.Run(ctx, config, settings, a.controllers)
	}()
	f.t.Cleanup(func() {
		stop()
		<-done
	})
	return r
}

// ends waits until a replica has ended, and returns its error.
func (r *replica) ends(t *testing.T) error {
	t.Helper()
	select {
	case err := <-r.ended:
		return err
	case <-time.After(30 * time.Second):
		t.Fatal("the replica still runs")
		return nil
	}
}

// holder waits for another holder of the lease than before, and returns it.
func (f *fixture) holder(before string) string {
	f.t.Helper()
	return f.holderOf("sites", before)
}

func (f *fixture) holderOf(name, before string) string {
	f.t.Helper()
	lease := named(&coordinationv1.Lease{}, name)
	f.Eventually("the lease has another holder", func() error {
		if !f.Get(lease) || ptr.Deref(lease.Spec.HolderIdentity, "") == "" || *lease.Spec.HolderIdentity == before {
			return fmt.Errorf("it is %+v", lease.Spec)
		}
		return nil
	})
	return *lease.Spec.HolderIdentity
}

// asked collects what a replica asks the API server for.
type asked struct {
	next  http.RoundTripper
	lines *lines
}

func (a asked) RoundTrip(request *http.Request) (*http.Response, error) {
	fmt.Fprintln(a.lines, request.URL)
	return a.next.RoundTrip(request)
}

func TestStandbyFillsTheCacheOfParents(t *testing.T) {
	f := alone(t)
	f.replica(&author{sync: desireWeb})
	f.holder("")
	var requests lines
	f.replica(&author{sync: desireWeb}, func(config *rest.Config) {
		config.Wrap(func(next http.RoundTripper) http.RoundTripper { return asked{next, &requests} })
	})
	f.Eventually("the replica that waits for the lease watches parents", func() error {
		if requests.count("/sites?allowWatchBookmarks") == 0 {
			return errors.New("it has asked for none")
		}
		return nil
	})
}

func TestReplicasHandOverInOrder(t *testing.T) {
	var mu sync.Mutex
	running, calls := "", []string{}
	member := func(name string) *author {
		return &author{sync: func(ctx context.Context, req *Request) (*Response, error) {
			mu.Lock()
			if running != "" {
				t.Errorf("%s begins while %s runs", name, running)
			}
			running = name
			calls = append(calls, name)
			mu.Unlock()
			time.Sleep(500 * time.Millisecond)
			mu.Lock()
			running = ""
			mu.Unlock()
			return desireWeb(ctx, req)
		}}
	}
	f := alone(t)
	first := f.replica(member("first"))
	leader := f.holder("")
	f.replica(member("second"))
	f.Create(f.site)
	f.Eventually("a reconcile begins", func() error {
		mu.Lock()
		defer mu.Unlock()
		if running == "" {
			return errors.New("it has not")
		}
		return nil
	})
	first.stop() // in the midst of it
	if err := first.ends(t); err != nil {
		t.Error(err)
	}
	f.holder(leader)
	f.status("Ready", "Ready")
	f.Eventually("the second has looked at the Site", func() error {
		mu.Lock()
		defer mu.Unlock()
		if calls[len(calls)-1] != "second" {
			return fmt.Errorf("reconciles were of %v", calls)
		}
		return nil
	})
	f.Settled()
	f.expectRequests(0, f.withEvents("create configmaps web: 201", "patch sites/status web: 200")...)
	mu.Lock()
	defer mu.Unlock()
	if calls[0] != "first" {
		t.Errorf("reconciles were of %v", calls)
	}
}

// withEvents adds to the expected requests those that record Events about the
// lease, wherever they came.
func (f *fixture) withEvents(expected ...string) (all []string) {
	f.t.Helper()
	for _, request := range f.Requests() {
		switch {
		case request.Resource == "events":
			all = append(all, request.String())
		case len(expected) > 0:
			all, expected = append(all, expected[0]), expected[1:]
		}
	}
	return append(all, expected...)
}

// The author's code neither listens to its context nor uses it for writes of
// its own.
func TestNothingIsWrittenAfterTheLeaseIsLost(t *testing.T) {
	begun, release, tried := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	var mgr operator.Manager
	a := &author{manager: &mgr, alter: func(d *siteDefinition) {
		d.Sync = func(ctx context.Context, req *Request) (*Response, error) {
			close(begun)
			<-release
			tried <- mgr.GetClient().Create(context.Background(), configMapIn(req.Parent.Namespace, "side-effect"))
			return desireWeb(ctx, req)
		}
	}}
	f := alone(t)
	r := f.replica(a)
	f.Create(f.site)
	<-begun
	f.steal("sites")
	err := r.ends(t)
	if want := "the lease " + f.Namespace + "/sites was taken over by thief"; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("the replica ended with %v, want %s", err, want)
	}
	close(release)
	if err := <-tried; err == nil || !strings.Contains(err.Error(), "was taken over by thief") {
		t.Errorf("a write of the author's ended with %v", err)
	}
	time.Sleep(500 * time.Millisecond) // in which the reconcile would write
	f.untouched()
	if f.Get(configMap("side-effect", "")) {
		t.Error("the author's code wrote")
	}
}

// A Sync that was abandoned goes on after the operator has stopped, when another replica may
// lead already.
func TestNothingIsWrittenAfterTheLeaseIsReleased(t *testing.T) {
	begun, release, tried := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	var once sync.Once
	var mgr operator.Manager
	a := &author{manager: &mgr, alter: func(d *siteDefinition) {
		d.Timeout = 100 * time.Millisecond
		d.Sync = func(ctx context.Context, req *Request) (*Response, error) {
			once.Do(func() { close(begun) })
			<-release
			tried <- mgr.GetClient().Create(context.Background(), configMapIn(req.Parent.Namespace, "side-effect"))
			return desireWeb(ctx, req)
		}
	}}
	f := alone(t)
	r := f.replica(a)
	f.Create(f.site)
	<-begun
	r.stop()
	if err := r.ends(t); err != nil {
		t.Errorf("the replica ended with %v", err)
	}
	close(release)
	if err := <-tried; err == nil || !strings.Contains(err.Error(), "the lease "+f.Namespace+"/sites was released") {
		t.Errorf("a write of the author's ended with %v", err)
	}
	if f.Get(configMap("side-effect", "")) {
		t.Error("the author's code wrote")
	}
}

func TestLeaseThatIsDeletedIsTakenAgain(t *testing.T) {
	f := alone(t)
	f.replica(&author{sync: desireWeb})
	leader := f.holder("")
	f.Delete(named(&coordinationv1.Lease{}, "sites"))
	if again := f.holder(""); again != leader {
		t.Errorf("the lease went from %s to %s", leader, again)
	}
	f.Create(f.site)
	f.Exists(configMap("web", ""))
}

func TestLeaseThatCannotBeRenewedEndsTheReplica(t *testing.T) {
	f := alone(t)
	var l *line
	r := f.replica(&author{sync: desireWeb}, func(config *rest.Config) { l = overLine(t, config) })
	f.holder("")
	f.Create(f.site)
	f.status("Ready", "Ready")
	l.cut()
	cut := time.Now()
	err := r.ends(t)
	if want := "the lease " + f.Namespace + "/sites could not be renewed for 12s"; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("the replica ended with %v, want %s", err, want)
	}
	if took := time.Since(cut); took > 15*time.Second {
		t.Errorf("it went on for %s, when another may work already", took)
	}
}
