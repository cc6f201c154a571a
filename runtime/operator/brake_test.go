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

	"github.com/opgen-dev/opgen/internal/longtest"
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
	longtest.Skip(t, "it has a fleet")
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
	longtest.Skip(t, "it has a fleet")
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
	longtest.Skip(t, "it has a fleet")
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

// What cannot be counted is not pruned.
func TestPruneThatCannotBeCountedWaits(t *testing.T) {
	longtest.Skip(t, "it has a fleet")
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
	longtest.Skip(t, "it has a fleet")
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

// An operator that replaces another one, and whose Sync is not finished, does not empty the fleet.
func TestSyncThatDesiresNothingOfATakenOverFleetIsHeld(t *testing.T) {
	longtest.Skip(t, "it has a fleet")
	f := startFleet(t, &author{sync: desireFor(desireNone)})
	f.Stop()
	for i := range f.sites {
		taken := site(fmt.Sprintf("taken-%04d", i))
		f.Create(taken)
		f.madeFor(taken, formerManager, configMap(taken.Name, "old"))
	}
	f.Restart()
	spared := len(f.sites) - f.limit()
	f.countReady("PruneHeld", spared)
	f.countChildren(&corev1.ConfigMapList{}, spared)
	f.release()
	f.countChildren(&corev1.ConfigMapList{}, 0)
}
