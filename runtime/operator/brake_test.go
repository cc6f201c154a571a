package operator_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

// A release whose Sync desires nothing must not empty the fleet, however often it is started.
func TestSyncThatDesiresNothingForAllIsHeldAndReleasedInOneStep(t *testing.T) {
	// Metrics are those of the whole process, so that no other controller may have its name.
	f := startFleet(t, &author{sync: desireFor(twoConfigMaps), alter: func(d *siteDefinition) { d.Name = "braked" }})
	address := freeAddress(t)
	f.options = func(o *operator.Options) { o.MetricsAddress, o.MetricsSecure = address, false }
	f.setSync(desireFor(desireNone))
	f.Restart()
	total, spared := len(f.sites), len(f.sites)-f.limit()
	f.countReady("PruneHeld", spared)
	f.countReady("Ready", total-spared)
	f.countChildren(&corev1.ConfigMapList{}, 2*spared)
	before := f.Settled()
	f.Restart() // which does not refill the brake
	f.Crash()
	f.Settled()
	f.countReady("PruneHeld", spared)
	f.countChildren(&corev1.ConfigMapList{}, 2*spared)
	f.expectRequests(before, f.eventsSince(before)...)
	f.metricIs(address, fmt.Sprintf("opgen_held_prunes{controller=%q} %d", f.controller, spared))

	events := new(eventsv1.EventList)
	f.Eventually("an Event names the command", func() error {
		if err := f.Client.List(t.Context(), events, client.InNamespace(f.Namespace)); err != nil {
			return err
		}
		if !slices.ContainsFunc(events.Items, func(e eventsv1.Event) bool {
			return e.Reason == "PruneHeld" && releaseCommand.MatchString(e.Note)
		}) {
			return errors.New("none does")
		}
		return nil
	})
	if len(events.Items) > 3 { // one for each process
		t.Errorf("there are %d Events", len(events.Items))
	}

	// What a person does to a parent explains its prunes.
	sites := f.withReason("PruneHeld")
	edited, deleted := &sites[0], &sites[1]
	f.Update(edited, func() { edited.Spec.Text = "edited" })
	f.Gone(configMap(edited.Name+"-a", ""), configMap(edited.Name+"-b", ""))
	f.Delete(deleted)
	f.Gone(deleted, configMap(deleted.Name+"-a", ""))
	f.countReady("PruneHeld", spared-2)
	f.metricIs(address, fmt.Sprintf("opgen_held_prunes{controller=%q} %d", f.controller, spared-2))

	lease, _, _ := f.heldAs()
	f.Delete(lease) // which is no release
	f.Exists(lease)
	f.touch(f.sites[:1], "again")
	f.countReady("PruneHeld", spared-2)
	f.countChildren(&corev1.ConfigMapList{}, 2*(spared-2))

	f.release()
	f.countChildren(&corev1.ConfigMapList{}, 0)
	f.countReady("Ready", total-1)
	f.metricIs(address, `opgen_held_prunes{controller="braked"} 0`)
}

// eventsSince returns the requests for Events after the first n.
func (f *brakedFleet) eventsSince(n int) (events []string) {
	f.t.Helper()
	for _, request := range f.Requests()[n:] {
		if request.Resource == "events" {
			events = append(events, request.String())
		}
	}
	return events
}

// metricIs waits until a page of metrics has a line.
func (f *brakedFleet) metricIs(address, line string) {
	f.t.Helper()
	f.Eventually("metrics say "+line, func() error {
		status, page, err := scrape("http://"+address+"/metrics", "")
		if err == nil && (status != http.StatusOK || !strings.Contains(page, line+"\n")) {
			err = fmt.Errorf("%d: not there", status)
		}
		return err
	})
}

func TestReleaseThatDropsAKindIsHeldAndReleasedByTheFlag(t *testing.T) {
	f := startFleet(t, &author{sync: desireFor(func(site *testapi.Site, want *Desired) {
		want.ConfigMaps.Add(configMap(site.Name, "one"))
		want.Services.Add(service(site.Name))
	})})
	f.setSync(desireFor(func(site *testapi.Site, want *Desired) { want.ConfigMaps.Add(configMap(site.Name, "two")) }))
	f.Restart()
	total, spared := len(f.sites), len(f.sites)-f.limit()
	f.countReady("PruneHeld", spared)
	f.countChildren(&corev1.ServiceList{}, spared)
	f.countChildren(&corev1.ConfigMapList{}, total)
	f.Matches(configMap(f.sites[0].Name, "two"), configMap(f.sites[total-1].Name, "two")) // all else goes on
	_, _, incident := f.heldAs()

	f.options = func(o *operator.Options) { o.ReleasePrunes = "20010101T000000Z" } // another incident's
	f.Restart()
	f.Settled()
	f.countChildren(&corev1.ServiceList{}, spared)
	f.options = func(o *operator.Options) { o.ReleasePrunes = incident }
	f.Restart()
	f.countChildren(&corev1.ServiceList{}, 0)
	f.countReady("Ready", total)
}

// A rename keeps the old child, also once the new one is there.
func TestReleaseThatRenamesAChildIsHeld(t *testing.T) {
	f := startFleet(t, &author{sync: desireFor(func(site *testapi.Site, want *Desired) { want.ConfigMaps.Add(configMap(site.Name+"-a", "one")) })})
	f.setSync(desireFor(func(site *testapi.Site, want *Desired) { want.ConfigMaps.Add(configMap(site.Name+"-b", "one")) }))
	f.Restart()
	total, spared := len(f.sites), len(f.sites)-f.limit()
	f.countReady("PruneHeld", spared)
	f.touch(f.sites, "again")
	f.Settled()
	f.countChildren(&corev1.ConfigMapList{}, total+spared)
}

// A database that first fails and then is empty makes the parents unready before Sync desires
// nothing.
func TestSyncThatDesiresNothingAfterAnOutageIsHeld(t *testing.T) {
	f := startFleet(t, &author{sync: desireFor(twoConfigMaps)})
	f.setSync(func(context.Context, *Request) (*Response, error) { return nil, errors.New("the database is down") })
	f.Restart()
	f.waits("all have failed", func() error {
		if failed := len(f.withReason("SyncFailed")); failed != len(f.sites) {
			return fmt.Errorf("%d have", failed)
		}
		return nil
	})
	f.setSync(desireFor(desireNone))
	f.touch(f.sites, "again")
	f.countReady("PruneHeld", len(f.sites)-f.limit())
	f.Restart()
	f.Settled()
	f.countChildren(&corev1.ConfigMapList{}, 2*(len(f.sites)-f.limit()))
}

// Prunes below the limit are made at once, and count across a restart.
func TestRestartDoesNotRefillTheBrake(t *testing.T) {
	f := startFleet(t, &author{sync: desireFor(twoConfigMaps)})
	f.setSync(func(_ context.Context, req *Request) (*Response, error) {
		want := new(Desired)
		if req.Parent.Annotations[pokeKey] == "" {
			twoConfigMaps(req.Parent, want)
		}
		return &Response{Children: want}, nil
	})
	total, limit := len(f.sites), f.limit()
	f.touch(f.sites[:limit-5], "first")
	f.countChildren(&corev1.ConfigMapList{}, 2*(total-limit+5))
	f.Settled()
	f.Restart()
	f.touch(f.sites[limit-5:limit+5], "second")
	f.countReady("PruneHeld", 5)
	f.countChildren(&corev1.ConfigMapList{}, 2*(total-limit))
}

func TestPrunesOfAnEarlierTimeDoNotCount(t *testing.T) {
	f := startFleet(t, &author{sync: desireFor(func(site *testapi.Site, want *Desired) {
		if site.Annotations[pokeKey] == "" {
			twoConfigMaps(site, want)
		}
	})})
	total, limit := len(f.sites), f.limit()
	f.touch(f.sites[:limit], "first")
	f.countChildren(&corev1.ConfigMapList{}, 2*(total-limit))
	f.Settled()
	f.Advance(11 * time.Minute)
	f.touch(f.sites[limit:min(total, 2*limit)], "second")
	f.countChildren(&corev1.ConfigMapList{}, 2*max(0, total-2*limit))
	f.countReady("PruneHeld", 0)
}

func TestFleetThatIsScaledDownBySpecIsNeverHeld(t *testing.T) {
	f := startFleet(t, &author{sync: desireFor(func(site *testapi.Site, want *Desired) {
		for i := range 4 - len(site.Spec.Text) {
			want.ConfigMaps.Add(configMap(fmt.Sprintf("%s-%d", site.Name, i), "one"))
		}
	})})
	f.edit("")
	f.countChildren(&corev1.ConfigMapList{}, 4*len(f.sites))
	f.Settled()
	f.edit("12")
	f.countChildren(&corev1.ConfigMapList{}, 2*len(f.sites))
	f.Settled()
	f.Stop()
	f.edit("123") // while the operator is down
	f.Restart()
	f.countChildren(&corev1.ConfigMapList{}, len(f.sites))
	f.neverHeld()
}

// An apply that failed when the spec was edited delays the prune to a later reconcile.
func TestPruneThatAnEditExplainsMayComeLater(t *testing.T) {
	f := startFleet(t, &author{sync: desireFor(func(site *testapi.Site, want *Desired) {
		if site.Spec.Text == "hello" {
			twoConfigMaps(site, want)
			return
		}
		if site.Annotations[pokeKey] == "" {
			want.Services.Add(service("Not_A_Name"))
		}
		want.ConfigMaps.Add(configMap(site.Name+"-a", "one"))
	})})
	f.edit("other")
	f.countReady("InvalidChild", len(f.sites))
	f.touch(f.sites, "go on")
	f.countChildren(&corev1.ConfigMapList{}, len(f.sites))
	f.neverHeld()
}

// A reconcile that has nothing to prune, and does not leave the parent ready, is not the end of what
// an edit explains.
func TestFleetThatGoesFromBlueToGreenAfterAnEditIsNeverHeld(t *testing.T) {
	a := &author{alter: func(d *siteDefinition) {
		d.Sync = func(_ context.Context, req *Request) (*Response, error) {
			want, current := new(Desired), req.Parent.Name+"-"+req.Parent.Spec.Text
			want.Pods.Add(pod(current, "web:1"))
			for old := range req.Children.Pods.All() {
				if old.Name != current && !req.Children.Pods.Ready(current) {
					want.Pods.Keep(old.Name)
				}
			}
			return &Response{Children: want}, nil
		}
	}}
	f := startFleet(t, a)
	f.allPodsReady(len(f.sites))
	f.edit("green")
	f.countChildren(&corev1.PodList{}, 2*len(f.sites))
	f.touch(f.sites, "again")
	f.Settled()
	f.allPodsReady(2 * len(f.sites))
	f.countChildren(&corev1.PodList{}, len(f.sites))
	f.neverHeld()
}

// A child that a parent needs only until it is ready for the first time goes in any number of new
// parents.
func TestFirstStepsOfANewFleetAreNeverHeld(t *testing.T) {
	f := startFleet(t, &author{alter: func(d *siteDefinition) {
		d.Sync = func(_ context.Context, req *Request) (*Response, error) {
			want := new(Desired)
			want.Pods.Add(pod(req.Parent.Name, "web:1"))
			if !req.Children.Pods.Ready(req.Parent.Name) {
				want.ConfigMaps.Add(configMap(req.Parent.Name+"-bootstrap", "one"))
			}
			return &Response{Children: want}, nil
		}
	}})
	f.countChildren(&corev1.ConfigMapList{}, len(f.sites))
	f.allPodsReady(len(f.sites))
	f.countChildren(&corev1.ConfigMapList{}, 0)
	f.neverHeld()
}

// Runs may be of any kind if Sync keeps them by their names, and finished Jobs and Pods
// in any case.
func TestHistoryLimitsOfAFleetAreNeverHeld(t *testing.T) {
	ticks := func(site *testapi.Site) string { return strings.ReplaceAll(site.Annotations[pokeKey], " ", "-") }
	f := startFleet(t, &author{
		alter: func(d *siteDefinition) {
			d.Sync = func(_ context.Context, req *Request) (*Response, error) {
				want, run := new(Desired), configMap(req.Parent.Name+"-"+ticks(req.Parent), "run")
				if ticks(req.Parent) != "" {
					want.ConfigMaps.Add(run, operator.CreateOnly)
				}
				want.ConfigMaps.Keep(operator.Runs(req.Children.ConfigMaps, operator.History{Succeeded: 2})...)
				return &Response{Children: want}, nil
			}
		},
	})
	for tick := range 4 {
		f.touch(f.sites, fmt.Sprint(tick+1))
		f.Settled()
	}
	f.countChildren(&corev1.ConfigMapList{}, 2*len(f.sites))
	f.neverHeld()
}

func TestFinishedPodsOfAFleetAreNeverHeld(t *testing.T) {
	f := startFleet(t, &author{
		sync: desireFor(func(site *testapi.Site, want *Desired) {
			if site.Annotations[pokeKey] == "" {
				want.Pods.Add(pod(site.Name, "run:1"))
			}
		}),
	})
	pods := new(corev1.PodList)
	f.countChildren(pods, len(f.sites))
	for i := range pods.Items {
		pods.Items[i].Status.Phase = corev1.PodSucceeded
		if err := f.Client.Status().Update(t.Context(), &pods.Items[i]); err != nil {
			t.Fatal(err)
		}
	}
	f.Settled()
	f.touch(f.sites, "done")
	f.countChildren(pods, 0)
	f.neverHeld()
}

func TestFleetThatIsRecreatedIsNeverHeld(t *testing.T) {
	f := startFleet(t, &author{
		sync: desireFor(func(site *testapi.Site, want *Desired) {
			want.ConfigMaps.Add(configMap(site.Name, "one"), operator.Recreate)
		}),
	})
	first := configMap(f.sites[0].Name, "")
	f.Exists(first)
	f.setSync(desireFor(func(site *testapi.Site, want *Desired) {
		want.ConfigMaps.Add(configMap(site.Name, "two"), operator.Recreate)
	}))
	f.Restart()
	f.waits("all have been recreated", func() error {
		children := new(corev1.ConfigMapList)
		if err := f.Client.List(t.Context(), children, client.InNamespace(f.Namespace), client.HasLabels{testapi.Version.Group + "/site"}); err != nil {
			return err
		}
		if i := slices.IndexFunc(children.Items, func(c corev1.ConfigMap) bool { return c.Data["key"] != "two" }); i >= 0 || len(children.Items) != len(f.sites) {
			return fmt.Errorf("there are %d, one of them as before: %t", len(children.Items), i >= 0)
		}
		return nil
	})
	f.Gone(first)
	f.neverHeld()
}

func TestFleetThatIsDeletedIsNeverHeld(t *testing.T) {
	f := startFleet(t, &author{
		sync: desireFor(twoConfigMaps),
		finalize: func(context.Context, *Request) (*Response, error) {
			return &Response{Children: new(Desired), Finalized: true}, nil
		},
	})
	for _, site := range f.sites {
		f.Delete(site)
	}
	f.countChildren(&corev1.ConfigMapList{}, 0)
	f.neverHeld()
}

func TestFleetWithoutALimitIsNeverHeld(t *testing.T) {
	f := startFleet(t, &author{sync: desireFor(twoConfigMaps)})
	f.options = func(o *operator.Options) { o.PruneLimit = -1 }
	f.setSync(desireFor(desireNone))
	f.Restart()
	f.countChildren(&corev1.ConfigMapList{}, 0)
	f.neverHeld()
}

// What cannot be counted is not pruned.
func TestPruneThatCannotBeCountedWaits(t *testing.T) {
	f := startFleet(t, &author{sync: desireFor(twoConfigMaps)})
	refuse := operatortest.Fault{Verb: "create", Resource: "leases", Nth: 1, When: operatortest.Instead, What: operatortest.RefuseForbidden}
	f.Inject(refuse)
	f.setSync(desireFor(desireNone))
	f.touch(f.sites[:1], "again")
	f.countReady("Forbidden", 1)
	f.Exists(configMap(f.sites[0].Name+"-a", ""))
	f.ClearFaults()
	f.Advance(time.Minute)
	f.Gone(configMap(f.sites[0].Name+"-a", ""))
}

// A release whose selector has a typo selects no parent any more.
func TestReleaseThatSelectsNoParentIsHeld(t *testing.T) {
	isMisspelt, finalized := false, make(chan string, 1000)
	f := startFleet(t, &author{
		sync: desireFor(twoConfigMaps),
		alter: func(d *siteDefinition) {
			if d.Parents == nil {
				return
			}
			if isMisspelt {
				d.Parents[0].Labels = "test.opgen.dev/misspelt"
			}
			d.Finalize = func(_ context.Context, req *Request) (*Response, error) {
				finalized <- req.Parent.Name
				return &Response{Finalized: true}, nil
			}
		},
	})
	isMisspelt = true
	f.Restart()
	total, spared := len(f.sites), len(f.sites)-20 // there are no parents of which 10 % could be more
	f.countReady("PruneHeld", spared)
	f.countChildren(&corev1.ConfigMapList{}, 2*spared)
	f.Settled()
	if calls := len(finalized); calls != 20 {
		t.Errorf("Finalize was called %d times, also for what is held", calls)
	}
	isMisspelt = false
	f.Restart()
	f.countChildren(&corev1.ConfigMapList{}, 2*total)
	f.countReady("Ready", total)
}

func TestFleetThatOptsOutIsNeverHeld(t *testing.T) {
	f := startFleet(t, &author{
		sync: desireFor(twoConfigMaps),
		alter: func(d *siteDefinition) {
			if d.Parents != nil {
				d.Parents[0].Annotations = "!" + pokeKey
			}
		},
	})
	f.touch(f.sites, "out")
	f.countChildren(&corev1.ConfigMapList{}, 0)
	f.neverHeld()
}
