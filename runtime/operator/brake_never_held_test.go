package operator_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/internal/longtest"
	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	"github.com/opgen-dev/opgen/runtime/operator"
)

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
	longtest.Skip(t, "it has a fleet")
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
	longtest.Skip(t, "it has a fleet")
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
	longtest.Skip(t, "it has a fleet")
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
	longtest.Skip(t, "it has a fleet")
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
	longtest.Skip(t, "it has a fleet")
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
	longtest.Skip(t, "it has a fleet")
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
	longtest.Skip(t, "it has a fleet")
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
	longtest.Skip(t, "it has a fleet")
	f := startFleet(t, &author{sync: desireFor(twoConfigMaps)})
	f.options = func(o *operator.Options) { o.PruneLimit = -1 }
	f.setSync(desireFor(desireNone))
	f.Restart()
	f.countChildren(&corev1.ConfigMapList{}, 0)
	f.neverHeld()
}

func TestFleetThatOptsOutIsNeverHeld(t *testing.T) {
	longtest.Skip(t, "it has a fleet")
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
