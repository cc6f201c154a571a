package operator_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/opgen-dev/opgen/runtime/internal/process"
	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	"github.com/opgen-dev/opgen/runtime/operator"
)

// observer is an operator with --observe beside another one.
type observer struct {
	f        *fixture
	log      lines
	requests atomic.Int64 // all but watches
	writes   lines        // without dry runs and access reviews
	stop     func()
}

// observe runs an operator with --observe.
func (f *fixture) observe(a *author, set ...func(*process.Settings)) *observer {
	f.t.Helper()
	o := &observer{f: f}
	r := f.replicaWith(a, func(s *process.Settings) {
		s.Observe, s.LeaderElectID = true, "sites"
		s.Logger = slog.New(slog.NewTextHandler(&o.log, nil))
		for _, set := range set {
			set(s)
		}
	}, func(config *rest.Config) {
		config.UserAgent = "observer"
		config.Wrap(func(next http.RoundTripper) http.RoundTripper { return observed{next, o} })
	})
	o.stop = r.stop
	return o
}

// observed is a transport that records what an observer sends.
type observed struct {
	next http.RoundTripper
	o    *observer
}

func (t observed) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.URL.Query().Get("watch") == "" {
		t.o.requests.Add(1)
	}
	if request.Method != http.MethodGet && request.URL.Query().Get("dryRun") != "All" || strings.Contains(request.URL.Path, "/leases") {
		fmt.Fprintln(&t.o.writes, request.Method, request.URL)
	}
	return t.next.RoundTrip(request)
}

// says waits until the log says so often that a write would be made.
func (o *observer) says(times int, verb, kind, name string) {
	o.f.t.Helper()
	line := fmt.Sprintf("verb=%s kind=%s object=%s/%s ", verb, kind, o.f.Namespace, name)
	o.f.Eventually("the log says "+line, func() error {
		if found := o.log.count(line); found != times {
			return fmt.Errorf("%d times, want %d, in\n%s", found, times, o.log.String())
		}
		return nil
	})
}

// wroteNothing waits until the operator makes no requests, and fails the test if it has written.
func (o *observer) wroteNothing() {
	o.f.t.Helper()
	before, since := o.requests.Load(), time.Now()
	o.f.Eventually("the observer is silent", func() error {
		if now := o.requests.Load(); now != before {
			before, since = now, time.Now()
		}
		if time.Since(since) < 2*time.Second {
			return errors.New("it makes requests")
		}
		return nil
	})
	if o.writes.count("\n") > 0 {
		o.f.t.Errorf("it has written:\n%s", o.writes.String())
	}
}

func TestObserverBesideAWorkingOperatorReportsANewRelease(t *testing.T) {
	f := start(t, &author{sync: desire(func(want *Desired) {
		want.ConfigMaps.Add(configMap("same", "one"))
		want.ConfigMaps.Add(configMap("changed", "one"))
		want.ConfigMaps.Add(configMap("dropped", "one"))
		want.Services.Add(service("web"))
	})})
	f.status("Ready", "Ready")
	before := f.Settled()
	address := freeAddress(t)
	release := &author{sync: func(_ context.Context, req *Request) (*Response, error) {
		want := new(Desired)
		want.ConfigMaps.Add(configMap("same", "one"))
		want.ConfigMaps.Add(configMap("changed", "two"))
		want.ConfigMaps.Add(configMap("added", "one"))
		want.Services.Add(service("web"))
		if !req.Observing {
			t.Error("Sync does not learn that the operator observes")
		}
		return &Response{Children: want, Status: &testapi.Status{Phase: "New"}, Events: []operator.Event{{Reason: "Tried", Message: "an Event is a write, too"}}}, nil
	}}
	o := f.observe(release, func(s *process.Settings) { s.MetricsAddress, s.MetricsSecure = address, false })
	o.says(1, "patch", "ConfigMap", "changed")
	o.says(1, "create", "ConfigMap", "added")
	o.says(1, "delete", "ConfigMap", "dropped")
	o.says(1, `"patch status"`, "Site", "web")
	o.wroteNothing()
	f.touchSite("again")
	o.wroteNothing()
	o.says(1, "patch", "ConfigMap", "changed") // once per change
	release.setSync(desire(func(want *Desired) { want.ConfigMaps.Add(configMap("changed", "three")) }))
	f.touchSite("and again")
	o.says(2, "patch", "ConfigMap", "changed")
	o.says(1, "delete", "ConfigMap", "same")
	o.wroteNothing()
	o.says(0, "patch", "ConfigMap", "same")
	o.says(1, "delete", "ConfigMap", "dropped")
	o.says(0, "patch", "Service", "web")
	if o.log.count(`fields="data.key, metadata.annotations.`) != 2 {
		t.Errorf("the log names other fields:\n%s", o.log.String())
	}
	_, page, err := scrape("http://"+address+"/metrics", "")
	if line := `opgen_observed_writes_total{controller="site",kind="ConfigMap",verb="delete"} `; err != nil || !strings.Contains(page, line) {
		t.Errorf("no %s: %v", line, err)
	}
	f.Settled()
	f.expectRequests(before) // of the working operator
	f.Exists(configMap("dropped", ""))
	if f.Get(configMap("added", "")) || f.Get(named(&coordinationv1.Lease{}, "sites")) {
		t.Error("the observer wrote")
	}
}

// touchSite causes a reconcile.
func (f *fixture) touchSite(token string) {
	f.t.Helper()
	current := site(f.site.Name)
	f.Update(current, func() {
		if current.Annotations == nil {
			current.Annotations = map[string]string{}
		}
		current.Annotations[pokeKey] = token
	})
}

// The other operator does not run, so that nobody repairs what the observer sees.
func TestObserverReportsDriftAndDeletionAndWritesNothing(t *testing.T) {
	alter := func(d *siteDefinition) { d.Teardown = operator.TeardownOrdered } // no child goes without the operator
	finalized := func(context.Context, *Request) (*Response, error) {
		return &Response{Children: new(Desired), Finalized: true}, nil
	}
	a := &author{alter: alter, finalize: finalized, sync: desire(func(want *Desired) {
		want.ConfigMaps.Add(configMap("web", "one"))
		want.ConfigMaps.Add(configMap("deleted", "one"))
	})}
	f := start(t, a)
	f.status("Ready", "Ready")
	f.Settled()
	f.Stop()
	child := configMap("web", "")
	f.Update(child, func() { child.Data["key"] = "somebody's" })
	f.Delete(configMap("deleted", ""))
	o := f.observe(&author{alter: alter, finalize: finalized, sync: a.sync})
	o.says(1, "patch", "ConfigMap", "web")
	o.says(1, "create", "ConfigMap", "deleted")
	o.wroteNothing()
	f.touchSite("again")
	o.wroteNothing()
	o.says(1, "create", "ConfigMap", "deleted")

	f.Update(child, func() { child.Data["key"] = "one" }) // in sync again
	o.wroteNothing()
	f.Delete(f.site)
	o.says(1, "delete", "ConfigMap", "web")
	o.wroteNothing()
	f.Exists(f.site, child)
	if child.DeletionTimestamp != nil || child.Data["key"] != "one" {
		t.Errorf("the child is %+v", child)
	}
	f.Restart() // which does what was observed
	f.Gone(f.site, child)
}

func TestObserverReportsLeakedChildren(t *testing.T) {
	alter := func(d *siteDefinition) { d.Teardown = operator.TeardownOrdered }
	a := &author{alter: alter, sync: desire(desireOne)}
	f := start(t, a)
	f.status("Ready", "Ready")
	f.Settled()
	f.Stop()
	f.Delete(f.site)
	f.Update(f.site, func() { controllerutil.RemoveFinalizer(f.site, testapi.Version.Group+"/finalizer") })
	f.Gone(f.site)
	o := f.observe(&author{alter: alter, sync: a.sync})
	o.says(1, "delete", "ConfigMap", "web")
	o.wroteNothing()
	f.Exists(configMap("web", ""))
}

// What a dry run refuses is retried ever more slowly.
func TestObserverDoesNotSpinOnWhatIsRefused(t *testing.T) {
	f := alone(t)
	f.Create(f.site)
	o := f.observe(&author{sync: desire(func(want *Desired) {
		want.ConfigMaps.Add(configMap("Not_A_Name", "one"))
		want.ConfigMaps.Add(configMap("web", "one"))
	})})
	o.says(1, "create", "ConfigMap", "web")
	time.Sleep(3 * time.Second)
	if n := o.requests.Load(); n > 100 {
		t.Errorf("it made %d requests", n)
	}
	if o.writes.count("\n") > 0 {
		t.Errorf("it has written:\n%s", o.writes.String())
	}
}

func TestObserverRefusesWritesOfTheAuthorsCode(t *testing.T) {
	var mgr operator.Manager
	tried := make(chan error, 4)
	a := &author{manager: &mgr, sync: func(ctx context.Context, req *Request) (*Response, error) {
		select {
		case tried <- mgr.GetClient().Create(ctx, configMapIn(req.Parent.Namespace, "side-effect")):
			tried <- mgr.GetClient().Delete(ctx, configMapIn(req.Parent.Namespace, "other"))
			tried <- mgr.GetClient().Create(ctx, configMapIn(req.Parent.Namespace, "dry-run"), client.DryRunAll)
		default:
		}
		return &Response{Children: new(Desired)}, nil
	}}
	f := alone(t)
	f.Create(f.site, configMap("other", "one"))
	f.observe(a)
	for _, verb := range []string{"create", "delete"} {
		if err := <-tried; err == nil || !strings.Contains(err.Error(), "runs with --observe and writes nothing") {
			t.Errorf("a %s ended with %v", verb, err)
		}
	}
	if err := <-tried; err != nil {
		t.Errorf("a dry run ended with %v", err)
	}
	if f.Get(configMap("side-effect", "")) || !f.Get(configMap("other", "")) {
		t.Error("the author's code wrote")
	}
}
